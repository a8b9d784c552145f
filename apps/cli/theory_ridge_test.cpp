#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/cli/ridge_description.h"
#include "apps/cli/theory.h"
#include "atcav/theory.h"
#include "tests/support/run_theory.h"
#include "tests/support/temp_folder.h"

namespace atcav::cli {
namespace {

using ::testing::HasSubstr;
using testing_support::run_theory;
using testing_support::run_theory_json;

constexpr const char* kDescription =
    "d: 20\n"
    "n_random: 90\n"
    "n_concept: 60\n"
    "lambda: [0.5, 5]\n"
    "random: {mean: 0.2, covariance: {toeplitz: 0.2}}\n"
    "concept: {mean: -0.2, covariance: {toeplitz: 0.4}}\n";

TEST(TheoryRidge, JsonHoldsTheLibrarysNumbers) {
  const testing_support::TempFolder folder;
  const std::string path = folder.write("description.yaml", kDescription);
  const auto results = run_theory_json("ridge " + path).at("results");
  ASSERT_EQ(results.size(), 4u);
  const stats::TwoClasses classes = parse_ridge_description(kDescription, "").classes;
  EXPECT_EQ(results[0].at("error"), stats::predict_error(classes, stats::pattern_law(classes)).error);
  EXPECT_EQ(results[1].at("total_variance"), stats::total_variance(stats::fast_law(classes)));
  const stats::RidgeEquivalent ridge = stats::ridge_equivalent(classes, 5);
  EXPECT_EQ(results[3].at("lambda"), 5);
  EXPECT_EQ(results[3].at("error"), stats::predict_ridge_error(classes, ridge).error);
  EXPECT_EQ(results[3].at("total_variance"), stats::ridge_total_variance(classes, ridge));
  EXPECT_TRUE(results[3].at("converged"));
  const auto uncentred = run_theory_json("ridge --no-centred " + path);
  EXPECT_EQ(uncentred.at("options").at("centred"), false);
  EXPECT_EQ(uncentred.at("results")[3].at("total_variance"),
            stats::ridge_total_variance(classes, stats::ridge_equivalent(classes, 5, {.centred = false})));
}

// Beside pattern and fast: one row for each λ.
TEST(TheoryRidge, TableNamesEveryMethod) {
  const testing_support::TempFolder folder;
  const std::string text = run_theory("ridge " + folder.write("description.yaml", kDescription));
  EXPECT_THAT(text, HasSubstr("d = 20, 90 random and 60 concept examples; ridge centred"));
  for (const char* name : {"pattern", "fast", "ridge       0.5", "ridge         5"})
    EXPECT_THAT(text, HasSubstr(name));
}

TEST(TheoryRidge, MissingFileIsNamed) {
  try {
    run_theory("ridge nowhere.yaml");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nowhere.yaml"));
  }
}

}  // namespace
}  // namespace atcav::cli
