#include "fit/noise.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"
#include "atcav/score.h"
#include "fit/fit_refitter.h"

namespace atcav::fit {
namespace {

constexpr Index kInputs = 12;
constexpr Index kRandom = 120;
constexpr Index kConcept = 80;

// Examples seen through 12 inputs that share a common direction, so that their noises are correlated.
pass::Projections draw(Stream& stream, Index n, double mean) {
  pass::Projections set{Matrix(kInputs, n), Vector::Ones(n), {}};
  for (Index i = 0; i < n; ++i) {
    const double shared = stream.normal();
    for (Index j = 0; j < kInputs; ++j) set.values(j, i) = mean * (j % 3) + shared + 0.5 * stream.normal();
  }
  return set;
}

// Standard error of the mean sensitivity over the inputs.
double mean_error(const Noise& noise) {
  const Index inputs = noise.input_errors().size();
  return noise.error_along(Vector::Constant(inputs, 1 / static_cast<double>(inputs)));
}

struct MonteCarlo {
  double score_sd = 0;
  double extrapolated_sd = 0;
};

MonteCarlo simulate(const stats::ScoreRule& rule, int repeats) {
  Stream stream(11);
  Vector scores(repeats);
  Vector extrapolated(repeats);
  for (int k = 0; k < repeats; ++k) {
    const pass::Projections random = draw(stream, kRandom, 0);
    const MeanRefitter refitter(random, draw(stream, kConcept, 0.8), false);
    scores(k) = stats::score(refitter.full(), rule);
    extrapolated(k) =
        extrapolate(refitter.full(), half_runs(refitter, 8, {static_cast<std::uint64_t>(k), 0, 1}), rule);
  }
  const auto sd = [repeats](const Vector& x) {
    return std::sqrt((x.array() - x.mean()).square().sum() / (repeats - 1));
  };
  return {sd(scores), sd(extrapolated)};
}

// 1000 repeats give the standard deviation to 2.2 %; one sample's own estimate varies by about 10 %, so
// twenty of them are averaged.
TEST(Noise, BothKindsAgreeWithMonteCarlo) {
  const stats::ScoreRule rule = stats::alpha_rule(1);
  const MonteCarlo truth = simulate(rule, 1000);
  Stream stream(12);
  double closed = 0;
  double closed_extrapolated = 0;
  double jackknife = 0;
  double jackknife_extrapolated = 0;
  constexpr int kSamples = 20;
  for (int k = 0; k < kSamples; ++k) {
    const pass::Projections random = draw(stream, kRandom, 0);
    const pass::Projections positive = draw(stream, kConcept, 0.8);
    const MeanRefitter refitter(random, positive, false);
    const ResamplingOptions options{static_cast<std::uint64_t>(k), 0, 1};
    const Matrix halves = half_runs(refitter, 8, options);
    const ClosedFormNoise exact(random, positive, false);
    const JackknifeNoise refits(refitter, true, options);
    closed += exact.score_error(rule) / kSamples;
    closed_extrapolated += exact.extrapolated_error(rule, halves) / kSamples;
    jackknife += refits.score_error(rule) / kSamples;
    jackknife_extrapolated += refits.extrapolated_error(rule, halves) / kSamples;
  }
  EXPECT_NEAR(closed / truth.score_sd, 1, 0.10);
  EXPECT_NEAR(jackknife / truth.score_sd, 1, 0.15);
  EXPECT_NEAR(closed_extrapolated / truth.extrapolated_sd, 1, 0.15);
  EXPECT_NEAR(jackknife_extrapolated / truth.extrapolated_sd, 1, 0.25);
}

TEST(ClosedFormNoise, InputErrorsAreTheLemma) {
  Stream stream(13);
  const pass::Projections random = draw(stream, kRandom, 0);
  const pass::Projections positive = draw(stream, kConcept, 0);
  const Vector pattern = ClosedFormNoise(random, positive, false).input_errors();
  EXPECT_NEAR(pattern(3), std::sqrt(random.variance()(3) / kRandom + positive.variance()(3) / kConcept),
              1e-14);
  // fast: times n₁/(n₁+n₂).
  EXPECT_TRUE(ClosedFormNoise(random, positive, true).input_errors().isApprox(pattern * 0.6, 1e-12));
}

TEST(ClosedFormNoise, ErrorPartsAddUpToTheError) {
  Stream stream(15);
  const pass::Projections random = draw(stream, kRandom, 0);
  const pass::Projections positive = draw(stream, kConcept, 0.4);
  for (const bool fast : {false, true}) {
    const ClosedFormNoise noise(random, positive, fast);
    const Vector weights = Vector::Constant(random.inputs(), 1 / static_cast<double>(random.inputs()));
    const auto parts = noise.parts_along(weights);
    ASSERT_TRUE(parts.has_value());
    EXPECT_NEAR(std::sqrt(parts->random / kRandom + parts->of_concept / kConcept), noise.error_along(weights),
                1e-14);
  }
}

// Refits alone know the truth: the covariance of S over 4000 fresh pairs of sets, each entry to about 3 %.
TEST(Noise, CovarianceAgreesWithMonteCarlo) {
  constexpr int kRepeats = 4000;
  Stream stream(16);
  Matrix s(kRepeats, kInputs);
  for (int k = 0; k < kRepeats; ++k) {
    const pass::Projections random = draw(stream, kRandom, 0);
    s.row(k) = MeanRefitter(random, draw(stream, kConcept, 0.8), true).full().transpose();
  }
  const Matrix deviations = s.rowwise() - s.colwise().mean();
  const Matrix truth = deviations.transpose() * deviations / (kRepeats - 1);
  constexpr int kSamples = 40;
  Matrix closed = Matrix::Zero(kInputs, kInputs);
  Matrix jackknife = closed;
  double closed_mean = 0;
  double jackknife_mean = 0;
  for (int k = 0; k < kSamples; ++k) {
    const pass::Projections random = draw(stream, kRandom, 0);
    const pass::Projections positive = draw(stream, kConcept, 0.8);
    const ClosedFormNoise exact(random, positive, true);
    const JackknifeNoise refits(MeanRefitter(random, positive, true), true,
                                {static_cast<std::uint64_t>(k), 0, 1});
    closed += exact.covariance(0, exact.input_errors().size()) / kSamples;
    jackknife += refits.covariance(0, exact.input_errors().size()) / kSamples;
    closed_mean += mean_error(exact) / kSamples;
    jackknife_mean += mean_error(refits) / kSamples;
  }
  EXPECT_LT((closed - truth).norm(), 0.08 * truth.norm());
  EXPECT_LT((jackknife - truth).norm(), 0.12 * truth.norm());
  const double mean_truth = std::sqrt(truth.mean());
  EXPECT_NEAR(closed_mean / mean_truth, 1, 0.05);
  EXPECT_NEAR(jackknife_mean / mean_truth, 1, 0.10);
}

// One drawing of 20 groups has a coefficient of variation of √(1/38) = 0.16 over drawings in its error; the
// mean of four varies half as much.
TEST(JackknifeNoise, DrawingsSteadyTheError) {
  Stream stream(17);
  const MeanRefitter refitter(draw(stream, kRandom, 0), draw(stream, kConcept, 0.8), false);
  constexpr int kSeeds = 100;
  const auto spread = [](const Vector& x) {
    return std::sqrt((x.array() - x.mean()).square().mean()) / x.mean();
  };
  Vector one(kSeeds);
  Vector averaged(kSeeds);
  for (int seed = 0; seed < kSeeds; ++seed) {
    const ResamplingOptions options{static_cast<std::uint64_t>(seed), 0, 1};
    one(seed) =
        jackknife_error(refitter.refits(jackknife_drawing(refitter, 20, 1, options), 1).rowwise().mean());
    averaged(seed) = mean_error(JackknifeNoise(refitter, true, options));
  }
  EXPECT_LT(spread(averaged), 0.7 * spread(one));
}

// Support vector machines on well separated sets, where few rows decide: what the sensitivities truly vary by
// over new examples, beside their errors from a jackknife and from parts. With the columns as gradients all
// but the first are alike, so that the truth is known from 29 × 40 numbers. The length of w is no part of it.
TEST(JackknifeNoise, ComparesPartsWhereFewRowsDecide) {
  constexpr int kProblems = 40;
  constexpr Index kColumns = 30;
  double truth = 0;
  double jackknife = 0;
  double parts = 0;
  for (int k = 0; k < kProblems; ++k) {
    Stream stream(23, {kTaskSimulation, static_cast<std::uint64_t>(k)});
    Matrix rows = stream.normal_matrix(80, kColumns);
    rows.bottomRows(30).col(0).array() += 6;
    const Matrix gradients = Matrix::Identity(kColumns, kColumns).bottomRows(kColumns - 1);
    const FitRefitter refitter(fit_rows(rows, gradients), 50, {.method = stats::CavMethod::kSvm}, 1, true);
    const ResamplingOptions options{static_cast<std::uint64_t>(k), 0, 1};
    const double size = refitter.direction().squaredNorm();
    truth += refitter.full().squaredNorm() / size;
    jackknife += JackknifeNoise(refitter, true, options).input_errors().squaredNorm() / size;
    parts += JackknifeNoise(refitter, false, options).input_errors().squaredNorm() / size;
  }
  fmt::print("variance over truth: a twentieth left out at a time {:.2f}, parts {:.2f}\n", jackknife / truth,
             parts / truth);
  EXPECT_GT(jackknife, 1.3 * truth);
  EXPECT_NEAR(parts / truth, 1, 0.15);
}

// For means both the halves' variance and the ratio are known: twice that of all rows, and ½. The ratio is
// cut at ½, so that its chance makes the error somewhat too large.
TEST(JackknifeNoise, PartsOfMeansGiveTheClosedForm) {
  Stream stream(29);
  double closed = 0;
  double parts = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const pass::Projections random = draw(stream, kRandom, 0);
    const pass::Projections positive = draw(stream, kConcept, 0.8);
    closed += ClosedFormNoise(random, positive, false).input_errors().squaredNorm();
    parts +=
        JackknifeNoise(MeanRefitter(random, positive, false), false, {k, 0, 1}).input_errors().squaredNorm();
  }
  EXPECT_NEAR(parts / closed, 1.05, 0.08);
}

TEST(JackknifeNoise, NeedsNoQuarters) {
  Stream stream(31);
  const JackknifeNoise noise(MeanRefitter(draw(stream, 5, 0), draw(stream, 3, 0.8), false), false, {1, 0, 1});
  EXPECT_GT(mean_error(noise), 0);
  EXPECT_EQ(noise.degrees(), 2);
}

TEST(Noise, LinearErrorsAreThoseOfTheCovariance) {
  Stream stream(18);
  const pass::Projections random = draw(stream, kRandom, 0);
  const pass::Projections positive = draw(stream, kConcept, 0.4);
  const ClosedFormNoise exact(random, positive, true);
  const JackknifeNoise refits(MeanRefitter(random, positive, true), true, {3, 0, 1});
  const Vector weights = stream.normal_matrix(kInputs, 1);
  for (const Noise* noise : {static_cast<const Noise*>(&exact), static_cast<const Noise*>(&refits)}) {
    EXPECT_NEAR(std::pow(noise->error_along(weights), 2),
                weights.dot(noise->covariance(0, weights.size()) * weights), 1e-12);
    EXPECT_NEAR(std::pow(mean_error(*noise), 2), noise->covariance(0, weights.size()).mean(), 1e-13);
  }
  EXPECT_TRUE(
      exact.covariance(0, weights.size()).diagonal().cwiseSqrt().isApprox(exact.input_errors(), 1e-12));
  const auto parts = exact.parts_along(weights);
  ASSERT_TRUE(parts.has_value());
  EXPECT_NEAR(std::sqrt(parts->random / kRandom + parts->of_concept / kConcept), exact.error_along(weights),
              1e-13);
  EXPECT_EQ(exact.degrees(), 0);
  EXPECT_EQ(refits.degrees(), 19);
}

// Scores are scale-free, so fast and pattern have the same error.
TEST(ClosedFormNoise, FastAndPatternScoresHaveOneError) {
  Stream stream(14);
  const pass::Projections random = draw(stream, kRandom, 0);
  const pass::Projections positive = draw(stream, kConcept, 0.8);
  const stats::ScoreRule rule = stats::effective_rule();
  EXPECT_NEAR(ClosedFormNoise(random, positive, true).score_error(rule),
              ClosedFormNoise(random, positive, false).score_error(rule), 1e-12);
}

TEST(Extrapolate, ByHandAndCut) {
  const Vector full = Eigen::Vector2d(1, 0.2);
  Matrix halves(2, 2);
  halves << 1, -0.2, 0.5, 0.1;
  const stats::ScoreRule rule = stats::alpha_rule(1);
  const double mean =
      (stats::score(halves.row(0).transpose(), rule) + stats::score(halves.row(1).transpose(), rule)) / 2;
  EXPECT_NEAR(extrapolate(full, halves, rule), 2 * stats::score(full, rule) - mean, 1e-15);
  EXPECT_EQ(extrapolate(Vector::Ones(2), -Matrix::Ones(1, 2), stats::indicator_rule()), 1);
}

}  // namespace

}  // namespace atcav::fit
