#include "pipeline/score_concept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/posterior.h"
#include "atcav/random.h"
#include "pipeline/held_out_accuracy.h"

namespace atcav {
namespace {

Evidence evidence_of(const pass::Projections& random, const pass::Projections& positive) {
  Evidence evidence;
  evidence.concept_name = "striped";
  evidence.n_random = random.count();
  evidence.n_concept = positive.count();
  evidence.means = std::make_shared<fit::MeanRefitter>(random, positive, false);
  evidence.refitter = evidence.means;
  evidence.noise = std::make_shared<fit::ClosedFormNoise>(random, positive, false);
  evidence.mean_errors = evidence.noise->input_errors();
  const auto scores = [](double value) { return pass::SetScores{Vector::Constant(4, value), {0, 1, 0, 1}}; };
  evidence.accuracy = std::make_shared<Accuracy>(held_out_accuracy({scores(-1), scores(1)}, 0.95));
  return evidence;
}

pass::Projections normal_set(Index inputs, Index n, double mean, std::uint64_t seed) {
  return {Matrix(Stream(seed).normal_matrix(inputs, n).array() + mean), Vector::Ones(n), {}};
}

TEST(ScoreConcept, FieldsAgreeWithTheirDefinitions) {
  const pass::Projections random = normal_set(25, 80, 0, 1);
  const pass::Projections positive = normal_set(25, 60, 0.2, 2);
  Options options;
  options.alpha = {2.5};
  const Result result = score_concept(evidence_of(random, positive), checked(options));
  const Vector s = positive.mean() - random.mean();
  EXPECT_EQ(result.tcav, stats::tcav(s));
  EXPECT_NEAR(result.gamma, std::sqrt(s.squaredNorm() / 25) + 1e-8, 1e-12);
  EXPECT_NEAR(result.alpha_tcav.at("2.5"), stats::alpha_tcav(s, 2.5, result.gamma), 1e-12);
  EXPECT_NEAR(result.alpha_tcav.at("star"), stats::alpha_tcav(s, result.examples->alpha_star, result.gamma),
              1e-12);
  EXPECT_NEAR(result.examples->alpha_dagger / result.examples->alpha_star, 3, 1e-12);
  const Vector errors = (random.variance() / 80 + positive.variance() / 60).cwiseSqrt();
  EXPECT_NEAR(result.examples->flat_posterior, stats::flat_posterior(s, errors).mean(), 1e-12);
  EXPECT_EQ(result.headline, "2.5");
  EXPECT_EQ(result.examples->multi.scores.size(), 10U);
  EXPECT_EQ(result.sensitivities.size(), 25U);
  EXPECT_TRUE(result.intervals.contains("tcav") && result.intervals.contains("extrapolated"));
  EXPECT_EQ(result.examples->accuracy.held_out, 1);
}

TEST(ScoreConcept, AnalyticSigmaUsesEachInputsOwnError) {
  Options options;
  options.sigma = Sigma::kAnalytic;
  const pass::Projections random = normal_set(25, 80, 0, 1);
  const pass::Projections positive = normal_set(25, 60, 0.2, 2);
  const Result result = score_concept(evidence_of(random, positive), checked(options));
  const Vector errors = (random.variance() / 80 + positive.variance() / 60).cwiseSqrt();
  const Vector ratio =
      (positive.mean() - random.mean()).cwiseQuotient(errors) / std::sqrt(std::acos(-1.0) / 8);
  EXPECT_NEAR(result.alpha_tcav.at("dagger"), (1 / (1 + (-ratio.array()).exp())).mean(), 1e-12);
}

TEST(ScoreConcept, FewRowsLowerTheRunsAndSaySo) {
  const Result result =
      score_concept(evidence_of(normal_set(5, 4, 0, 1), normal_set(5, 2, 0, 2)), checked({}));
  EXPECT_EQ(result.examples->multi.runs, 4);
  bool said = false;
  for (const std::string& warning : result.warnings) said = said || warning.find("too few examples") == 0;
  EXPECT_TRUE(said);
}

Options asking_for(std::vector<Alpha> alpha) {
  Options options;
  options.alpha = std::move(alpha);
  return options;
}

TEST(ScoreDirection, ScoresByHand) {
  const Vector s{{2, 4, -2}};
  const Result result = score_direction(s, 0, checked(asking_for({2.5})));
  EXPECT_FALSE(result.examples.has_value());
  EXPECT_EQ(result.cav, "given");
  EXPECT_EQ(result.headline, "2.5");
  EXPECT_DOUBLE_EQ(result.tcav, 2.0 / 3);
  EXPECT_DOUBLE_EQ(result.magnitude, 4.0 / 3);
  const double gamma = std::sqrt(8.0) + 1e-8;
  EXPECT_DOUBLE_EQ(result.gamma, gamma);
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto by_hand = [&](double alpha) {
    return (sigmoid(alpha * 2 / gamma) + sigmoid(alpha * 4 / gamma) + sigmoid(-alpha * 2 / gamma)) / 3;
  };
  ASSERT_EQ(result.alpha_tcav.size(), 3U);
  EXPECT_NEAR(result.alpha_tcav.at("1"), by_hand(1), 1e-14);
  EXPECT_NEAR(result.score(), by_hand(2.5), 1e-14);
  EXPECT_NEAR(result.profile.score.front(), by_hand(0.1), 1e-14);
  // Of 1, 1, 0: variance 1/3, so an error of 1/3; the normal interval is cut at 1.
  const ScoreInterval& of_tcav = result.intervals.at("tcav");
  EXPECT_EQ(of_tcav.kind, IntervalKind::kInputs);
  EXPECT_NEAR(of_tcav.standard_error, 1.0 / 3, 1e-14);
  EXPECT_NEAR(of_tcav.interval.low, 2.0 / 3 - 1.959963984540054 / 3, 1e-9);
  EXPECT_EQ(of_tcav.interval.high, 1);
}

// Draws of m = 60 inputs from S ~ N(0.4, 1): how often the interval holds the score of endless inputs. 600
// draws scatter by 0.9 %; γ, which the formula holds fixed, varies with the inputs, so a little more or less
// than 95 % is right.
TEST(ScoreDirection, IntervalsCoverTheScoreOfAllInputs) {
  Stream stream(11);
  const Options options = checked({});
  const auto draw = [&](Index inputs) {
    return score_direction((stream.normal_matrix(inputs, 1).array() + 0.4).matrix(), 0, options);
  };
  const Result endless = draw(1'000'000);
  constexpr int kDraws = 600;
  int covered = 0;
  int covered_tcav = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Result one = draw(60);
    const auto holds = [&](const std::string& key, double truth) {
      const stats::Interval& interval = one.intervals.at(key).interval;
      return interval.low <= truth && truth <= interval.high ? 1 : 0;
    };
    covered += holds("1", endless.alpha_tcav.at("1"));
    covered_tcav += holds("tcav", endless.tcav);
  }
  EXPECT_NEAR(covered / double{kDraws}, 0.95, 0.04);
  EXPECT_NEAR(covered_tcav / double{kDraws}, 0.95, 0.04);
}

TEST(ScoreDirection, StarAndDaggerNeedTheNoise) {
  for (const auto alpha : {Alpha::Kind::kStar, Alpha::Kind::kDagger}) {
    EXPECT_THAT(
        [&] {
          score_direction(Vector{{1, 2}}, 0, checked(asking_for({3, alpha})));
        },
        testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("noise of the CAV")));
  }
}

// Against Eigen's product in double, for a class of one group, a class of several and any number of threads.
TEST(GradientKinship, IsTheProductsWithinEachGroup) {
  LayerData data;
  data.names.classes = {{.name = "few", .inputs = 5}, {.name = "many", .inputs = 700}};
  data.gradients = Stream(4).normal_matrix(705, 6000).cast<float>();
  const auto found = gradient_kinship(data, 2);
  const auto alone = gradient_kinship(data, 1);
  ASSERT_EQ(found.size(), 2U);
  Index first = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto sizes = input_groups(data.names.classes[k].inputs);
    ASSERT_EQ(found[k].size(), sizes.size());
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      const Matrix rows = data.gradients.middleRows(first, sizes[g]).cast<double>();
      const Matrix wanted = rows * rows.transpose();
      EXPECT_LT((found[k][g] - wanted).cwiseAbs().maxCoeff(), 1e-6 * wanted.cwiseAbs().maxCoeff());
      EXPECT_EQ(found[k][g], alone[k][g]) << "the same bits for any number of threads";
      first += sizes[g];
    }
  }
}

}  // namespace
}  // namespace atcav
