#include "atcav/run/analyse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/base/random.h"
#include "atcav/stats/posterior.h"

namespace atcav {
namespace {

Evidence evidence_of(const span::Projections& random, const span::Projections& positive) {
  Evidence evidence;
  evidence.concept_name = "striped";
  evidence.class_name = "zebra";
  evidence.dimension = 9;
  evidence.n_random = random.count();
  evidence.n_concept = positive.count();
  evidence.refitter = std::make_shared<span::MeanRefitter>(random, positive, false);
  evidence.noise = std::make_shared<span::ClosedFormNoise>(random, positive, false);
  const auto scores = [](double value) { return span::SetScores{Vector::Constant(4, value), {0, 1, 0, 1}}; };
  evidence.held_out = {scores(-1), scores(1)};
  return evidence;
}

span::Projections normal_set(Index inputs, Index n, double mean, std::uint64_t seed) {
  return {Matrix(Stream(seed).normal_matrix(inputs, n).array() + mean), Vector::Ones(n), {}};
}

TEST(Analyse, FieldsAgreeWithTheirDefinitions) {
  const span::Projections random = normal_set(25, 80, 0, 1);
  const span::Projections positive = normal_set(25, 60, 0.2, 2);
  Options options;
  options.alpha = {"2.5"};
  const Result result = analyse(evidence_of(random, positive), checked(options));
  const Vector s = positive.mean() - random.mean();
  EXPECT_EQ(result.tcav, stats::tcav(s));
  EXPECT_NEAR(result.gamma, std::sqrt(s.squaredNorm() / 25) + 1e-8, 1e-12);
  EXPECT_NEAR(result.alpha_tcav.at("2.5"), stats::alpha_tcav(s, 2.5, result.gamma), 1e-12);
  EXPECT_NEAR(result.alpha_tcav.at("star"), stats::alpha_tcav(s, result.alpha_star, result.gamma), 1e-12);
  EXPECT_NEAR(result.alpha_dagger / result.alpha_star, 3, 1e-12);
  const Vector errors = (random.variance() / 80 + positive.variance() / 60).cwiseSqrt();
  EXPECT_NEAR(result.flat_posterior, stats::flat_posterior(s, errors).mean(), 1e-12);
  EXPECT_EQ(result.headline, "2.5");
  EXPECT_EQ(result.multi.scores.size(), 10U);
  EXPECT_EQ(result.sensitivities.size(), 25U);
  EXPECT_TRUE(result.intervals.contains("tcav") && result.intervals.contains("extrapolated"));
  EXPECT_EQ(result.accuracy.held_out, 1);
}

TEST(Analyse, AnalyticSigmaUsesEachInputsOwnError) {
  Options options;
  options.sigma = Sigma::kAnalytic;
  const span::Projections random = normal_set(25, 80, 0, 1);
  const span::Projections positive = normal_set(25, 60, 0.2, 2);
  const Result result = analyse(evidence_of(random, positive), checked(options));
  const Vector errors = (random.variance() / 80 + positive.variance() / 60).cwiseSqrt();
  const Vector ratio =
      (positive.mean() - random.mean()).cwiseQuotient(errors) / std::sqrt(std::acos(-1.0) / 8);
  EXPECT_NEAR(result.alpha_tcav.at("dagger"), (1 / (1 + (-ratio.array()).exp())).mean(), 1e-12);
}

TEST(Analyse, FewRowsLowerTheRunsAndSaySo) {
  const Result result = analyse(evidence_of(normal_set(5, 4, 0, 1), normal_set(5, 2, 0, 2)), checked({}));
  EXPECT_EQ(result.multi.runs, 4);
  bool said = false;
  for (const std::string& warning : result.warnings) said = said || warning.find("too few examples") == 0;
  EXPECT_TRUE(said);
}

TEST(CorrectForMultipleTests, UsesAllResults) {
  std::vector<Result> results(4);
  results[0].significance.permutation_p = 0.01;
  results[1].significance.permutation_p = 0.04;
  results[2].significance.permutation_p = 0.03;
  results[3].significance.permutation_p = 0.005;
  correct_for_multiple_tests(results);
  EXPECT_NEAR(results[3].significance.bonferroni, 0.02, 1e-15);
  EXPECT_NEAR(results[0].significance.benjamini_hochberg, 0.02, 1e-15);
}

}  // namespace
}  // namespace atcav
