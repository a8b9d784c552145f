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
using ::testing::Not;
using testing_support::run_theory;
using testing_support::run_theory_json;

constexpr const char* kManyRandom =
    "d: 6\n"
    "n_random: 9000\n"
    "n_concept: 40\n"
    "lambda: [0.01, 1]\n"
    "random: {mean: 0, covariance: {toeplitz: 0.2}}\n"
    "concept: {mean: 0.2, covariance: {toeplitz: 0.4}}\n";

TEST(TheoryImbalanced, JsonHoldsTheLibrarysNumbers) {
  const testing_support::TempFolder folder;
  const std::string path = folder.write("description.yaml", kManyRandom);
  const auto results = run_theory_json("imbalanced " + path).at("results");
  ASSERT_EQ(results.size(), 2u);
  const stats::TwoClasses classes = parse_ridge_description(kManyRandom, "").classes;
  const stats::ImbalancedLogistic law = stats::imbalanced_logistic(classes, 1);
  EXPECT_EQ(results[1].at("cost"), 1);
  EXPECT_EQ(results[1].at("from_random"), law.from_random.trace());
  EXPECT_EQ(results[1].at("from_concept"), law.from_concept.trace());
  EXPECT_EQ(results[1].at("tilt"), law.tilt);
  const auto held = run_theory_json("imbalanced --held " + path).at("results");
  EXPECT_EQ(held[1].at("from_concept"), 0);
  EXPECT_EQ(held[1].at("from_random"), law.from_random.trace());
}

TEST(TheoryImbalanced, WarnsWhereRandomExamplesAreFew) {
  const testing_support::TempFolder folder;
  EXPECT_THAT(run_theory("imbalanced " + folder.write("many.yaml", kManyRandom)), Not(HasSubstr("warning")));
  std::string few = kManyRandom;
  few.replace(few.find("9000"), 4, "90");
  EXPECT_THAT(run_theory("imbalanced " + folder.write("few.yaml", few)),
              HasSubstr("90 random examples are not many"));
}

}  // namespace
}  // namespace atcav::cli
