#include "model/chosen_rows.h"

#include <gtest/gtest.h>

#include <array>

#include "data/array/npy.h"
#include "tests/support/temp_folder.h"

namespace atcav::model {
namespace {

class ChosenRowsTest : public testing::Test {
 protected:
  ChosenRowsTest() {
    MatrixF values(5, 2);
    values << 0, 1, 10, 11, 20, 21, 30, 31, 40, 41;
    data::write_npy(folder_.file("five.npy"), values);
    all_ = open_examples(folder_.file("five.npy"), {{"x", {-1, 2}}});
  }
  testing_support::TempFolder folder_;
  std::shared_ptr<StoredExamples> all_;
};

TEST_F(ChosenRowsTest, HasTheRowsThatWereChosen) {
  ChosenRows half(all_, {0, 3, 4});
  ASSERT_EQ(half.rows(), 3);
  EXPECT_EQ(half.number(1), 3);
  const std::vector<InputBatch> read = half.read_rows({1, 2});
  EXPECT_EQ(std::vector<float>(read[0].reals.begin(), read[0].reals.end()),
            (std::vector<float>{30, 31, 40, 41}));
  EXPECT_EQ(half.groups({0, 2}), (std::vector<std::vector<Index>>{{0, 2}}));
}

TEST_F(ChosenRowsTest, RefusesRowsThatAreNotThereOrOutOfOrder) {
  EXPECT_THROW(ChosenRows(all_, {}), std::invalid_argument);
  EXPECT_THROW(ChosenRows(all_, {2, 5}), std::invalid_argument);
  EXPECT_THROW(ChosenRows(all_, {2, 2}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::model
