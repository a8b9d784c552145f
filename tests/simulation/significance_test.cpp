// docs/theory/significance.md: false alarms and power of the permutation test and of the usual t-test over
// runs. The concept's examples have the law of the random ones, shifted by μ, so μ = 0 is the null hypothesis
// of both tests.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/paper/synthetic.h"
#include "atcav/run.h"
#include "atcav/theory.h"

namespace atcav::paper {
namespace {

constexpr double kLevel = 0.05;

std::string percent(const Estimate& share) {
  return fmt::format("{:.1f} ± {:.1f} %", 100 * share.value, 100 * share.error);
}

// 1000 null problems: a share of 5 % is known to 0.7 % (one standard error).
TEST(Significance, PermutationKeepsItsLevelTheTTestDoesNotAndItsPowerIsNoBetter) {
  const PValues null = simulate_p_values({.null = true}, {.repeats = 125, .seed = 7});
  const Estimate permutation = share_at_most(null.permutation, kLevel);
  const Estimate welch = share_at_most(null.welch, kLevel);
  fmt::print("false alarms at level 0.05 over 1000 null problems: permutation {}, t-test over runs {}\n",
             percent(permutation), percent(welch));
  EXPECT_GE(permutation.value, 0.03);
  EXPECT_LE(permutation.value, 0.06);
  // The page has 18 %; another null of random against random would give a somewhat different share.
  EXPECT_NEAR(welch.value, 0.18, 0.05);

  // The fair comparison gives the t-test the threshold at which it, too, has 5 % false alarms.
  std::vector<double> sorted = null.welch;
  std::nth_element(sorted.begin(), sorted.begin() + 50, sorted.end());
  const double fair = sorted[50];
  double before = 0;
  fmt::print("t-test with 5 % false alarms: p <= {:.2g}\n|mu|  permutation  t-test  t-test at 5 %\n", fair);
  for (const double length : {0.5, 0.75, 1.0, 1.5, 2.0}) {
    const PValues p =
        simulate_p_values({.length = length, .concept_rho = kRandomRho}, {.repeats = 15, .seed = 7});
    const double power = share_at_most(p.permutation, kLevel).value;
    fmt::print("{:<5} {:.2f}         {:.2f}    {:.2f}\n", length, power, share_at_most(p.welch, kLevel).value,
               share_at_most(p.welch, fair).value);
    EXPECT_GE(power, before - 0.05);
    before = power;
  }
  EXPECT_GE(before, 0.9);
}

// That the t-test is too optimistic is said in the result itself.
TEST(Significance, AFalseAlarmOfTheTTestComesWithAWarning) {
  Options options;
  options.bootstrap = 20;
  options.permutations = 199;
  const Vector zero = Vector::Zero(200);
  int seen = 0;
  for (std::uint64_t k = 0; k < 200 && seen < 3; ++k) {
    Stream stream(7, {kTaskSimulation, k});
    const auto draw = [&](Index rows) -> MatrixF {
      return stats::sample_toeplitz(zero, kRandomRho, rows, stream).cast<float>();
    };
    const MatrixF random = draw(500);
    const MatrixF none = draw(50);
    const MatrixF gradients = stream.normal_matrix(60, 200).cast<float>();
    const Result result = score({{"none", none}}, random, {{"class", gradients}}, options).results.at(0);
    const Significance& found = result.examples.value().significance;
    if (found.welch_p >= kLevel || found.use_p < kLevel) continue;
    ++seen;
    EXPECT_TRUE(std::any_of(result.warnings.begin(), result.warnings.end(), [](const std::string& text) {
      return text.find("the usual t-test over runs") != std::string::npos &&
             text.find("too optimistic") != std::string::npos;
    }));
  }
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace atcav::paper
