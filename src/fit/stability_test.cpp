#include "fit/stability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/cav.h"
#include "fit/fit_rows.h"
#include "pass/testing_sources.h"

namespace atcav::fit {
namespace {

constexpr Index kColumns = 40;
constexpr Index kRandom = 90;
constexpr Index kConcept = 30;

// Columns of unequal spread, the concept moved along the first ones and with twice the variance.
Matrix rows_of(Stream& stream, Index count, double shift, double spread) {
  Matrix rows = spread * stream.normal_matrix(count, kColumns);
  for (Index j = 0; j < kColumns; ++j) rows.col(j) *= 1 / std::sqrt(1.0 + j);
  rows.leftCols(3).array() += shift;
  rows.array() += 5;  // as after a ReLU: the mean is large against the spread
  return rows;
}

struct Drawn {
  MatrixF random, of_concept;
};
Drawn draw(std::uint64_t number, double shift) {
  Stream stream(7, {number});
  const Matrix random = rows_of(stream, kRandom, 0, 1);
  return {random.cast<float>(), rows_of(stream, kConcept, shift, std::sqrt(2)).cast<float>()};
}

pass::Pass pass_of(const Drawn& drawn, const MatrixF& gradients, bool gram) {
  pass::MatrixSource random("random", drawn.random);
  pass::MatrixSource of_concept("concept", drawn.of_concept);
  return pass::run_pass(gradients, {&random, &of_concept}, {.gram = gram});
}

double cosine_of(const Drawn& drawn, const stats::CavOptions& cav) {
  const MatrixF gradients = pass::normal_rows(1, 2, kColumns);
  const bool mean = stats::is_mean_difference(cav.method);
  const pass::Pass pass = pass_of(drawn, gradients, !mean);
  if (mean) return 1 - relative_variance(pass, 1, 0);
  const FitRefitter refitter(fit_rows(pass, gradients, 0, 1, cav.has_intercept()), kRandom, cav, 1);
  return full_cosine(split_half_cosine(refitter, {.threads = 1}));
}

struct Spread {
  double mean;
  double error;
};
Spread spread_of(const Vector& values) {
  const double mean = values.mean();
  const auto n = static_cast<double>(values.size());
  return {mean, std::sqrt((values.array() - mean).square().sum() / (n - 1) / n)};
}

// What was promised from one draw of examples against the cosine with the CAV of new ones: refits from
// scratch, in d columns.
void expect_cosine(const stats::CavOptions& cav, double shift, double tolerance) {
  constexpr Index kProblems = 150;
  Vector promised(kProblems);
  Vector found(kProblems);
  for (Index i = 0; i < kProblems; ++i) {
    const Drawn drawn = draw(2 * i, shift);
    const Drawn fresh = draw(2 * i + 1, shift);
    promised(i) = cosine_of(drawn, cav);
    const auto direction = [&](const Drawn& of) {
      return stats::fit_cav(of.random.cast<double>(), of.of_concept.cast<double>(), cav)
          .direction.normalized();
    };
    found(i) = direction(drawn).dot(direction(fresh));
  }
  const Spread ours = spread_of(promised);
  const Spread theirs = spread_of(found);
  std::printf("%s, shift %.1f: promised %.3f (SE %.3f), refits %.3f (SE %.3f)\n",
              std::string(stats::name(cav.method)).c_str(), shift, ours.mean, ours.error, theirs.mean,
              theirs.error);
  EXPECT_NEAR(ours.mean, theirs.mean, tolerance + 3 * std::hypot(ours.error, theirs.error));
}

// 1 - r is a ratio of means and not a mean of ratios: 0.05 too little where half the length is noise, and
// 0.01 where little of it is.
TEST(RelativeVariance, IsTheCosineWithNewExamples) {
  for (const double shift : {0.5, 1.0}) {
    const double left = shift < 1 ? 0.05 : 0.015;
    expect_cosine({.method = stats::CavMethod::kPattern}, shift, left);
    expect_cosine({.method = stats::CavMethod::kFast}, shift, left);
  }
}

// Spearman and Brown take halves for CAVs with twice the noise; a penalty and few rows bend that.
TEST(SplitHalfCosine, IsTheCosineWithNewExamples) {
  expect_cosine({.method = stats::CavMethod::kRidge}, 1, 0.05);
  expect_cosine({.method = stats::CavMethod::kLogistic, .cost = 0.01}, 1, 0.05);
  expect_cosine({.method = stats::CavMethod::kSvm, .cost = 0.01}, 1, 0.05);
}

// Tr Cov over refits on new examples against the closed form.
TEST(RelativeVariance, IsTraceOfCovarianceOverLength) {
  constexpr Index kProblems = 400;
  Matrix directions(kProblems, kColumns);
  Vector promised(kProblems);
  for (Index i = 0; i < kProblems; ++i) {
    const Drawn drawn = draw(5000 + i, 1);
    directions.row(i) =
        drawn.of_concept.cast<double>().colwise().mean() - drawn.random.cast<double>().colwise().mean();
    promised(i) = (1 - cosine_of(drawn, {})) * directions.row(i).squaredNorm();
  }
  const Vector squares = (directions.rowwise() - directions.colwise().mean()).rowwise().squaredNorm();
  const Spread trace = spread_of(squares);
  EXPECT_NEAR(promised.mean(), trace.mean * kProblems / (kProblems - 1), 4 * trace.error);
}

TEST(FullCosine, IsSpearmansAndBrowns) {
  EXPECT_DOUBLE_EQ(full_cosine(0.5), 2.0 / 3);
  EXPECT_EQ(full_cosine(1), 1);
  EXPECT_EQ(full_cosine(-0.1), 0);
}

TEST(RelativeVariance, NothingIsStableWithoutADirection) {
  Drawn drawn = draw(1, 1);
  drawn.of_concept = drawn.random;
  EXPECT_EQ(cosine_of(drawn, {}), 0);
}

}  // namespace
}  // namespace atcav::fit
