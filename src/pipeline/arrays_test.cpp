#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "atcav/random.h"
#include "atcav/run.h"
#include "data/array/npy.h"
#include "data/array/safetensors.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

MatrixF draw(std::uint64_t seed, Index rows, Index columns, double shift = 0) {
  return (Stream(seed).normal_matrix(rows, columns).array() + shift).matrix().cast<float>();
}

// S = Z w with w the difference of means. Sums of 30 floats in double: rounding far below 1e-9.
TEST(ScoreRows, SensitivitiesAreGradientsTimesDirection) {
  const MatrixF random = draw(1, 30, 5);
  const MatrixF striped = draw(2, 20, 5);
  const MatrixF zebra = draw(3, 8, 5);
  const MatrixF horse = draw(4, 6, 5);
  const RunResult found =
      score({{"striped", striped}}, random, {{"zebra", zebra}, {"horse", horse}}, {}, "layer3");
  ASSERT_EQ(found.results.size(), 2U);
  EXPECT_EQ(found.results[1].class_name, "horse");
  EXPECT_EQ(found.results[1].n_class, 6);
  EXPECT_EQ(found.results[0].layer, "layer3");
  const Vector w =
      (striped.cast<double>().colwise().mean() - random.cast<double>().colwise().mean()).transpose();
  const Vector s = zebra.cast<double>() * w;
  for (Index j = 0; j < s.size(); ++j)
    EXPECT_NEAR(found.results[0].sensitivities[static_cast<std::size_t>(j)], s[j], 1e-9);
  ASSERT_EQ(found.inputs.size(), 4U);
  EXPECT_EQ(role_text(found.inputs[1].role), "concept 'striped'");
  EXPECT_EQ(found.inputs[1].path, "");
  EXPECT_NE(found.inputs[1].sha256, found.inputs[0].sha256);
}

TEST(ScoreRows, RowsThatLieApartInMemory) {
  const MatrixF random = draw(1, 30, 5);
  const MatrixF striped = draw(2, 20, 5);
  const MatrixF zebra = draw(3, 8, 5);
  MatrixF wide(30, 9);
  wide.leftCols(5) = random;
  const RunResult together = score({{"striped", striped}}, random, {{"zebra", zebra}}, {});
  const RunResult apart = score({{"striped", striped}}, wide.leftCols(5), {{"zebra", zebra}}, {});
  EXPECT_EQ(together.results[0].sensitivities, apart.results[0].sensitivities);
  EXPECT_EQ(together.inputs[0].sha256, apart.inputs[0].sha256);
}

// A fitted direction of few rows with many columns is a combination of the rows, wherever they lie.
TEST(ScoreRows, KeepsFittedDirectionsOfWideRows) {
  const MatrixF striped = draw(2, 20, 80, 0.3);
  const MatrixF zebra = draw(3, 8, 80);
  MatrixF wide(30, 90);
  wide.leftCols(80) = draw(1, 30, 80);
  const MatrixF random = wide.leftCols(80);
  Options options;
  options.cav.method = stats::CavMethod::kRidge;
  const Eigen::RowVectorXd expected =
      stats::fit_cav(random.cast<double>(), striped.cast<double>(), options.cav).direction.transpose();
  for (const MatrixFRef& rows : {MatrixFRef(random), MatrixFRef(wide.leftCols(80))}) {
    const RunResult found = score({{"striped", striped}}, rows, {{"zebra", zebra}}, options, "", {}, true);
    ASSERT_EQ(found.cavs.size(), 1U);
    EXPECT_TRUE(found.cavs[0].directions.row(0).cast<double>().isApprox(expected, 1e-5));
  }
}

class ScoreFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const MatrixF& values) const {
    data::write_npy(folder_.file(name + ".npy"), values);
    return folder_.file(name + ".npy");
  }
  Config config() const {
    Config config;
    config.concepts = {{"a", write("a", draw(1, 20, 6, 0.5))}, {"b", write("b", draw(2, 15, 6))}};
    config.random = write("random", draw(3, 30, 6));
    config.gradients = {{"zebra", write("z", draw(4, 12, 6))}};
    config.layers = {"layer3"};
    return config;
  }
  testing_support::TempFolder folder_;
};

TEST_F(ScoreFiles, ResultsInputsAndStages) {
  std::vector<std::string> stages;
  const RunResult found = score(config(), [&](const std::string& stage, Index done, Index total) {
    EXPECT_LE(done, total);
    if (stages.empty() || stages.back() != stage) stages.push_back(stage);
  });
  ASSERT_EQ(found.results.size(), 2U);
  EXPECT_EQ(found.results[1].concept_name, "b");
  EXPECT_EQ(found.results[0].layer, "layer3");
  ASSERT_EQ(found.inputs.size(), 4U);
  EXPECT_EQ(role_text(found.inputs[1].role), "concept 'a'");
  EXPECT_EQ(found.inputs[1].sha256.size(), 64U);
  EXPECT_EQ(found.inputs[1].shape, (std::vector<Index>{20, 6}));
  EXPECT_EQ(stages, (std::vector<std::string>{"read", "hash", "analyse"}));
}

TEST_F(ScoreFiles, OneClassNeedsNoNameAndConceptsCanBeCompared) {
  Config unnamed = config();
  unnamed.gradients[0].name = "";
  unnamed.relative = {{"a", "b"}};
  const RunResult found = score(unnamed);
  ASSERT_EQ(found.results.size(), 3U);
  EXPECT_EQ(found.results[0].class_name, "class");
  EXPECT_EQ(found.results[2].concept_name, "a vs b");
  // A difference of means is linear: a - b = (a - random) - (b - random).
  EXPECT_NEAR(found.results[2].magnitude, found.results[0].magnitude - found.results[1].magnitude, 1e-6);
}

TEST_F(ScoreFiles, SaysWhichFileDoesNotFit) {
  const auto refused = [](const Config& wrong, const std::string& message) {
    EXPECT_THAT([&] { score(wrong); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message)));
  };
  Config wrong = config();
  wrong.gradients[0].path = write("wide", MatrixF::Ones(3, 7));
  refused(wrong, "wide.npy) has 7 columns but random");
  wrong = config();
  wrong.concepts[0].path = write("one", MatrixF::Ones(1, 6));
  refused(wrong, "is 1, must be at least 2");
  wrong = config();
  MatrixF bad = MatrixF::Ones(5, 6);
  bad(3, 2) = std::numeric_limits<float>::quiet_NaN();
  wrong.concepts[0].path = write("nan", bad);
  refused(wrong, "row 3, column 2");
  wrong = config();
  wrong.gradients[0].path = write("nan", bad);
  refused(wrong, "gradients 'zebra'");
  wrong = config();
  wrong.concepts[1].name = "a";
  refused(wrong, "the concept 'a' is given twice");
  wrong = config();
  wrong.random = "nowhere.npy";
  EXPECT_THROW(score(wrong), std::runtime_error);
}

TEST_F(ScoreFiles, TheSameArrayTwiceIsNoticed) {
  Config same = config();
  same.concepts[0].path = same.random;
  const RunResult found = score(same);
  EXPECT_THAT(found.results[0].warnings, Contains("the concept and the random examples are the same array"));
  EXPECT_THAT(found.results[0].warnings, Contains(HasSubstr("every sensitivity is zero")));
  EXPECT_THAT(found.results[1].warnings, testing::Not(Contains(HasSubstr("same array"))));
}

TEST_F(ScoreFiles, TwoTensorsOfOneFileAreTwoArrays) {
  const MatrixF a = draw(1, 20, 6, 0.5);
  const MatrixF random = draw(3, 30, 6);
  data::write_safetensors(folder_.file("all.safetensors"), {{"a", a}, {"random", random}});
  Config one_file = config();
  one_file.concepts = {{"a", folder_.file("all.safetensors:a")}};
  one_file.random = folder_.file("all.safetensors:random");
  const RunResult found = score(one_file);
  EXPECT_EQ(found.results[0].sensitivities, score(config()).results[0].sensitivities);
  EXPECT_THAT(found.results[0].warnings, testing::Not(Contains(HasSubstr("same array"))));
}

// 1e8 + x keeps nothing of x in float32.
TEST_F(ScoreFiles, LargeOffsetsAreNotRoundedSilently) {
  Config far = config();
  const Matrix shifted = draw(3, 30, 6).cast<double>().array() + 1e8;
  data::write_npy(folder_.file("far.npy"), shifted);
  far.random = folder_.file("far.npy");
  EXPECT_THAT(score(far).notes, Contains(HasSubstr("far.npy) was rounded to float32: 6 of its 6 columns")));
  EXPECT_THAT(score(config()).notes, testing::IsEmpty());
}

TEST_F(ScoreFiles, AChoiceThatTheCavsHaveNoUseForIsNoted) {
  Config costly = config();
  costly.options.cav.cost = 2;
  EXPECT_THAT(score(costly).notes, testing::ElementsAre(HasSubstr("cost is 2 and was not used")));
}

TEST_F(ScoreFiles, ProgressMayStopTheWork) {
  struct Stop {};
  EXPECT_THROW(score(config(), [](const std::string&, Index, Index) { throw Stop{}; }), Stop);
}

}  // namespace
}  // namespace atcav
