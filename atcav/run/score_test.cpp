#include "atcav/run/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "atcav/base/random.h"
#include "atcav/io/npy.h"

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string write(const std::string& name, const Matrix& values) {
  const std::string path = testing::TempDir() + "score_test_" + name + ".npy";
  const MatrixF single = values.cast<float>();
  io::write_npy(path, single);
  return path;
}

ScoreInputs inputs() {
  return {{{"a", write("a", Stream(1).normal_matrix(20, 6).array() + 0.5)},
           {"b", write("b", Stream(2).normal_matrix(15, 6))}},
          write("random", Stream(3).normal_matrix(30, 6)),
          {{"zebra", write("z", Stream(4).normal_matrix(12, 6))}},
          "layer3"};
}

TEST(Score, ResultsInputsAndStages) {
  std::vector<std::string> stages;
  const RunResult scored = score(inputs(), {}, [&](const std::string& stage, Index done, Index total) {
    EXPECT_LE(done, total);
    if (stages.empty() || stages.back() != stage) stages.push_back(stage);
  });
  ASSERT_EQ(scored.results.size(), 2U);
  EXPECT_EQ(scored.results[1].concept_name, "b");
  EXPECT_EQ(scored.results[0].layer, "layer3");
  ASSERT_EQ(scored.inputs.size(), 4U);
  EXPECT_EQ(scored.inputs[1].role, "concept 'a'");
  EXPECT_EQ(scored.inputs[1].sha256.size(), 64U);
  EXPECT_EQ(scored.inputs[1].shape, (std::vector<Index>{20, 6}));
  EXPECT_EQ(stages, (std::vector<std::string>{"read", "analyse", "hash"}));
}

TEST(Score, SaysWhichFileDoesNotFit) {
  ScoreInputs wrong = inputs();
  wrong.gradients[0].path = write("wide", Matrix::Ones(3, 7));
  EXPECT_THAT([&] { score(wrong, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("wide.npy) has 7 columns but random")));
  wrong = inputs();
  wrong.concepts[0].path = write("one", Matrix::Ones(1, 6));
  EXPECT_THAT([&] { score(wrong, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("is 1, must be at least 2")));
  wrong = inputs();
  Matrix bad = Matrix::Ones(5, 6);
  bad(3, 2) = std::numeric_limits<double>::quiet_NaN();
  wrong.concepts[0].path = write("nan", bad);
  EXPECT_THAT([&] { score(wrong, {}); }, ThrowsMessage<std::invalid_argument>(HasSubstr("row 3, column 2")));
  wrong = inputs();
  wrong.gradients[0].path = wrong.concepts[0].path = write("nan", bad);
  EXPECT_THAT([&] { score(wrong, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("gradients 'zebra'")));
  wrong = inputs();
  wrong.concepts[1].name = "a";
  EXPECT_THAT([&] { score(wrong, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("'a' is used twice")));
  wrong = inputs();
  wrong.random = "nowhere.npy";
  EXPECT_THROW(score(wrong, {}), std::runtime_error);
}

TEST(Score, TheSameArrayTwiceIsNoticed) {
  ScoreInputs same = inputs();
  same.concepts[0].path = same.random;
  const RunResult scored = score(same, {});
  EXPECT_THAT(scored.results[0].warnings,
              testing::Contains("the concept and the random examples are the same array"));
  EXPECT_THAT(scored.results[0].warnings, testing::Contains(HasSubstr("every sensitivity is zero")));
}

TEST(Score, ProgressMayStopTheWork) {
  struct Stop {};
  EXPECT_THROW(score(inputs(), {}, [](const std::string&, Index, Index) { throw Stop{}; }), Stop);
}

}  // namespace
}  // namespace atcav
