#include "pipeline/corrections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "atcav/planning.h"

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// An effect of 0.1 sd_random, known to 0.05.
Result tested(double use_p, double equivalence_p) {
  Result result;
  result.class_name = "zebra";
  result.effect = {
      .logits = 0.2, .d = 0.1, .unit = 2, .d_error = 0.05, .d_degrees = 50, .error_examples = 0.1};
  result.examples.emplace();
  result.examples->significance.use_p = use_p;
  result.examples->equivalence.p = equivalence_p;
  return result;
}

std::vector<Result> corrected(std::vector<Result> results, const fit::LargestT& largest = {}) {
  correct_for_multiple_tests(results, largest, Options{});
  return results;
}

TEST(CorrectForMultipleTests, OverAllTestsOfTheCall) {
  const auto results = corrected({tested(0.01, 1), tested(0.02, 1), tested(0.9, 1)});
  constexpr std::array bonferroni = {0.03, 0.06, 1.0};
  constexpr std::array hochberg = {0.03, 0.03, 0.9};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(results[i].examples->significance.bonferroni, bonferroni[i]);
    EXPECT_DOUBLE_EQ(results[i].examples->significance.benjamini_hochberg, hochberg[i]);
  }
}

TEST(CorrectForMultipleTests, JointEffectsAndGivenDirectionsApart) {
  Result joint = tested(0.01, 1);
  joint.joint.emplace().effect.p = 0.02;
  Result given;
  given.effect.p = 0.03;
  given.given.emplace().baseline.p = 0.04;
  const auto results = corrected({joint, tested(0.5, 1), given});
  EXPECT_DOUBLE_EQ(results[0].joint->bonferroni, 0.02);
  EXPECT_DOUBLE_EQ(results[0].examples->significance.bonferroni, 0.02);
  EXPECT_DOUBLE_EQ(results[2].given->bonferroni, 0.03);
  EXPECT_DOUBLE_EQ(results[2].given->baseline.bonferroni, 0.04);
}

TEST(CorrectForMultipleTests, ThreeVerdicts) {
  const auto results = corrected({tested(0.001, 1), tested(0.9, 0.001), tested(0.03, 0.03)});
  EXPECT_EQ(results[0].examples->equivalence.verdict, UseVerdict::kUsed);
  EXPECT_EQ(results[1].examples->equivalence.verdict, UseVerdict::kNotBeyond);
  const Equivalence& open = results[2].examples->equivalence;
  EXPECT_EQ(open.verdict, UseVerdict::kUndecided) << "0.03 is too much for three tests";
  const double share = 0.05 / 3;
  EXPECT_DOUBLE_EQ(open.factor.value(), stats::deciding_factor(0.1, 0.05, 50, 0.2, share, share));
  EXPECT_FALSE(results[1].examples->equivalence.factor);
}

TEST(CorrectForMultipleTests, InputsThatUseItInDifferentWaysAreNoAbsence) {
  Result divided = tested(0.9, 0.001);
  divided.examples->some_inputs.p = 0.001;
  divided.examples->tau_squared = 1;  // inputs differ by 1 logit; the bound is 0.2·2 logits
  Result even = divided;
  even.examples->tau_squared = 0.01;
  const auto results = corrected({divided, even});
  EXPECT_EQ(results[0].examples->equivalence.verdict, UseVerdict::kUndecided);
  EXPECT_THAT(results[0].warnings, testing::SizeIs(1));
  EXPECT_EQ(results[1].examples->equivalence.verdict, UseVerdict::kNotBeyond);
  EXPECT_THAT(results[1].warnings, IsEmpty());
}

TEST(CorrectForMultipleTests, SimultaneousIntervalsFromRelabelledTests) {
  fit::LargestT largest;
  largest.add(Vector::LinSpaced(99, 0.03, 2.97));
  Result result = tested(0.1, 1);
  result.examples->significance.max_t = 1;
  const auto found = corrected({result, tested(0.1, 1)}, largest);
  EXPECT_DOUBLE_EQ(found[0].examples->significance.max_t.value(), largest.p(2)) << "t is 0.2/0.1";
  const double reach = 0.1 * largest.critical(0.95);
  EXPECT_DOUBLE_EQ(found[0].effect.simultaneous.value().low, 0.2 - reach);
  EXPECT_DOUBLE_EQ(found[0].effect.simultaneous.value().high, 0.2 + reach);
  EXPECT_FALSE(found[1].effect.simultaneous) << "of examples that cannot be relabelled";
}

}  // namespace
}  // namespace atcav
