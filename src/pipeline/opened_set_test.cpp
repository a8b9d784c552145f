#include "pipeline/opened_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/array/npy.h"
#include "model/testing_model.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class OpenedSetTest : public testing::Test {
 protected:
  OpenedSetTest() : session_(open_session(config(), std::make_shared<model::TestingModel>())) {}

  static Config config() {
    Config config;
    config.layers = {"hidden"};
    return config;
  }
  std::string write(const std::string& name, const MatrixF& rows) const {
    data::write_npy(folder_.file(name), rows);
    return folder_.file(name);
  }
  OpenedSet opened(const Role& role, const std::vector<float>& firsts) const {
    MatrixF rows = MatrixF::Zero(std::ssize(firsts), model::TestingModel::kInputs);
    for (std::size_t i = 0; i < firsts.size(); ++i) rows(static_cast<Index>(i), 0) = firsts[i];
    OpenedSet set = open_set(session_, role, write(role_text(role) + ".npy", rows), nullptr);
    read_rows(set, 0, set.rows());
    return set;
  }

  testing_support::TempFolder folder_;
  Session session_;
};

TEST_F(OpenedSetTest, NotesNameCopiesAndSharedExamples) {
  std::vector<OpenedSet> sets;
  sets.push_back(opened(Role::Kind::kRandom, {1, 2, 3}));
  sets.push_back(opened({Role::Kind::kConcept, "striped"}, {4, 4, 2}));
  std::vector<OpenedSet> classes;
  classes.push_back(opened({Role::Kind::kClass, "zebra"}, {3, 9}));
  EXPECT_THAT(
      notes_about(sets, classes),
      ElementsAre(
          "1 of the 3 examples of concept 'striped' are exact copies of others: errors are understated",
          "1 of the 3 examples of concept 'striped' are also in random (e.g. row 2)",
          "1 of the 2 examples of class 'zebra' are also in random (e.g. row 0)"));
}

TEST(ReadRole, IsTheOtherWayRound) {
  for (const Role& role : {Role(Role::Kind::kRandom), Role(Role::Kind::kConcept, "it's 'striped'"),
                           Role(Role::Kind::kCheck, "a")})
    EXPECT_EQ(read_role(role_text(role)), role);
  EXPECT_THROW(read_role("painter"), std::invalid_argument);
  EXPECT_THROW(read_role("concept 'a"), std::invalid_argument);
}

TEST_F(OpenedSetTest, ARowThatChangedIsRefused) {
  class Changing : public model::ExampleSource {
   public:
    Index rows() const override { return 2; }
    Index block(Index, Index count) override { return count; }
    std::vector<model::InputBatch> read(Index, Index count) override {
      return model::TestingModel::batch(MatrixF::Constant(count, model::TestingModel::kInputs, ++times_));
    }

   private:
    float times_ = 0;
  };
  OpenedSet set = open_set(session_, {Role::Kind::kConcept, "striped"}, "", std::make_shared<Changing>());
  read_rows(set, 0, 2);
  EXPECT_THAT([&] { read_rows(set, 0, 2); },
              ThrowsMessage<std::runtime_error>(HasSubstr("of concept 'striped' changed between reads")));
}

}  // namespace
}  // namespace atcav
