#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

#include "atcav/random.h"
#include "atcav/run.h"

// Rows that come in pairs (Options::pairs), against the paired t-test of the differences and in processes
// whose truth is known.
namespace atcav {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Pairs {
  MatrixF random, of_concept, gradients;
};

// Partners share what they are; the concept adds `shift` to the first column, give or take.
Pairs draw_pairs(std::uint64_t seed, Index pairs, Index inputs, double shift) {
  constexpr Index kColumns = 6;
  const Matrix shared = 3 * Stream(seed, {1}).normal_matrix(pairs, kColumns);
  const Matrix own = Stream(seed, {2}).normal_matrix(pairs, kColumns);
  Matrix of_concept = shared + Stream(seed, {3}).normal_matrix(pairs, kColumns);
  of_concept.col(0).array() += shift;
  return {(shared + own).cast<float>(), of_concept.cast<float>(),
          (Stream(seed, {4}).normal_matrix(inputs, kColumns).array() + 1).matrix().cast<float>()};
}

Result scored(const Pairs& rows, const Options& options) {
  return score({{"a", rows.of_concept}}, rows.random, {{"class", rows.gradients}}, options).results.at(0);
}

Options paired(stats::CavMethod method = stats::CavMethod::kPattern) {
  Options options;
  options.pairs = true;
  options.permutations = 99;
  options.bootstrap = 50;
  options.threads = 1;
  options.cav.method = method;
  return options;
}

// With one input S̄ = z·mean(x_concept - x_random): Student's test of n differences.
TEST(Pairs, OneInputIsThePairedTTest) {
  const Pairs rows = draw_pairs(7, 25, 1, 0.4);
  const Vector differences =
      (rows.of_concept - rows.random).cast<double>() * rows.gradients.cast<double>().transpose();
  const double n = 25;
  const double variance = (differences.array() - differences.mean()).square().sum() / (n - 1);
  const double t = differences.mean() / std::sqrt(variance / n);
  const boost::math::students_t law(n - 1);
  const Result found = scored(rows, paired());
  // Rounding of float32 rows that are centred first.
  EXPECT_NEAR(found.effect.p, 2 * cdf(complement(law, std::abs(t))), 1e-5);
  const double reach = quantile(law, 0.975) * std::sqrt(variance / n);
  EXPECT_NEAR(found.effect.interval.high - found.effect.interval.low, 2 * reach, 1e-4 * reach);
  EXPECT_NEAR(found.effect.degrees, 24, 1e-9);
  EXPECT_EQ(found.effect.error_concept, 0) << "there is one error of both";
}

TEST(Pairs, WhatPartnersShareIsNoError) {
  const Pairs rows = draw_pairs(8, 60, 40, 2);
  for (const stats::CavMethod method : {stats::CavMethod::kPattern, stats::CavMethod::kFast}) {
    const Result together = scored(rows, paired(method));
    Options apart = paired(method);
    apart.pairs = false;
    // Variances 2·1 against 2·(1 + 9): a ratio of √10, give or take the spread of two estimates over 60 rows.
    const double ratio = scored(rows, apart).effect.error_examples / together.effect.error_examples;
    EXPECT_GT(ratio, 2.2) << stats::name(method);
    EXPECT_LT(ratio, 4.2) << stats::name(method);
    EXPECT_LT(together.effect.p, 0.05);
  }
}

// The jackknife of a fit leaves out both of a pair.
TEST(Pairs, FittedCavsLeaveOutBoth) {
  const Pairs rows = draw_pairs(9, 60, 20, 0.5);
  Options options = paired(stats::CavMethod::kRidge);
  options.cav.lambda = 1000;  // nearly the difference of means
  const double together = scored(rows, options).effect.error_examples;
  options.pairs = false;
  EXPECT_GT(scored(rows, options).effect.error_examples, 1.7 * together);
}

// 400 problems whose truth is known: d = shift·z̄₀/sd(z̄·x). Standard error of a coverage of 0.95: 0.011.
TEST(Pairs, IntervalsOfDHoldTheTruth) {
  constexpr int kProblems = 400;
  int covered = 0, alarms = 0, differ = 0;
  for (int k = 0; k < kProblems; ++k) {
    const Pairs rows = draw_pairs(1000 + static_cast<std::uint64_t>(k), 30, 1, 0.8);
    const Vector z = rows.gradients.row(0).cast<double>();
    const double truth = 0.8 * z(0) / (std::sqrt(10.0) * z.norm());
    const Result found = scored(rows, paired());
    covered += found.effect.d_interval.low < truth && truth < found.effect.d_interval.high ? 1 : 0;
    const Result nothing = scored(draw_pairs(5000 + static_cast<std::uint64_t>(k), 30, 1, 0), paired());
    alarms += nothing.effect.p < 0.05 ? 1 : 0;
    differ += nothing.examples->significance.differs_p <= 0.05 ? 1 : 0;
  }
  RecordProperty("covered", covered);
  RecordProperty("alarms", alarms);
  RecordProperty("differ", differ);
  const double level = 0.95 * kProblems;
  const double error = std::sqrt(kProblems * 0.95 * 0.05);
  EXPECT_NEAR(covered, level, 4 * error);
  EXPECT_NEAR(alarms, kProblems - level, 4 * error);
  EXPECT_NEAR(differ, kProblems - level, 4 * error) << "swapping within pairs is exact";
}

TEST(Pairs, MustBePairs) {
  Pairs rows = draw_pairs(1, 20, 5, 0);
  rows.random = rows.random.topRows(19).eval();
  EXPECT_THAT([&] { scored(rows, paired()); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("concept 'a' has 20 examples and random has 19, must be equally many")));
  Options moments = paired();
  moments.moments_only = true;
  EXPECT_THROW(scored(draw_pairs(1, 20, 5, 0), moments), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
