#include "atcav/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

const Vector& known() {
  static const Vector values = (Vector(8) << 1, -5, 4, 6.5, -3, -2.5, 0, 2).finished();
  return values;
}

// Four of the eight are positive, one is 0.
TEST(Tcav, KnownAnswers) {
  EXPECT_EQ(tcav(known()), 0.5);
  EXPECT_EQ(tcav(Vector::Zero(1)), 0);
  EXPECT_EQ(zero_share(known()), 0.125);
  EXPECT_THROW(tcav(Vector(0)), std::invalid_argument);
}

// Complementary concepts have opposite magnitudes; counts and zeros sum to 1.
TEST(Tcav, ComplementaryConcepts) {
  EXPECT_EQ(magnitude(known()), -magnitude(-known()));
  EXPECT_EQ(tcav(known()) + tcav(-known()) + zero_share(known()), 1);
}

TEST(AlphaTcav, LimitsAreHalfAndHeaviside) {
  EXPECT_EQ(alpha_tcav(known(), 0, 1), 0.5);
  EXPECT_EQ(alpha_tcav(known(), std::numeric_limits<double>::infinity(), 1), 0.5625);
  EXPECT_EQ(alpha_tcav(Vector::Zero(1), std::numeric_limits<double>::infinity(), 1), 0.5);
  EXPECT_NEAR(alpha_tcav(known(), 1e4, 1), 0.5625, 1e-12);
}

// Doubling all sensitivities changes nothing after normalisation (up to γ's ε of 1e-8).
TEST(AlphaTcav, NormalisedScoreIsScaleFree) {
  const Vector doubled = 2 * known();
  EXPECT_NEAR(alpha_tcav(known(), 3, root_mean_square(known())),
              alpha_tcav(doubled, 3, root_mean_square(doubled)), 1e-8);
}

TEST(SensitivityProfile, SpansTheGridAndEndsNearTcav) {
  const Vector positive = Vector::LinSpaced(20, 1, 2);
  const Profile profile = sensitivity_profile(positive);
  ASSERT_EQ(profile.alpha.size(), 31U);
  EXPECT_NEAR(profile.alpha.front(), 0.1, 1e-12);
  EXPECT_NEAR(profile.alpha.back(), 100, 1e-9);
  EXPECT_NEAR(profile.score.back(), 1, 1e-12);
  EXPECT_NEAR(profile.score[10], alpha_tcav(positive, 1, root_mean_square(positive)), 1e-15);
}

Vector example() { return Stream(1).normal_matrix(30, 1).array() + 0.4; }

TEST(Score, AgreesWithTheNamedScores) {
  const Vector s = example();
  const double gamma = root_mean_square(s);
  const double sigma = sigma_effective(s, 500);
  EXPECT_NEAR(score(s, alpha_rule(3)), alpha_tcav(s, 3, gamma), 1e-15);
  EXPECT_NEAR(score(s, effective_rule()), alpha_tcav(s, alpha_dagger(gamma, sigma, 500), gamma), 1e-14);
  EXPECT_NEAR(score(s, effective_rule(3)), alpha_tcav(s, alpha_star(gamma, sigma, 500, 10), gamma), 1e-14);
  EXPECT_EQ(score(s, indicator_rule()), tcav(s));
}

// Against central differences; their error is of order h² = 1e-10 here.
TEST(ScoreGradient, IsTheDerivativeOfTheScore) {
  const Vector s = example();
  const Vector errors = Stream(2).normal_matrix(30, 1).cwiseAbs().array() + 0.1;
  for (const ScoreRule& rule :
       {alpha_rule(1), alpha_rule(3), effective_rule(), effective_rule(3), analytic_rule(errors)}) {
    const Vector gradient = score_gradient(s, rule);
    for (Index j = 0; j < s.size(); ++j) {
      Vector up = s;
      Vector down = s;
      up(j) += 1e-5;
      down(j) -= 1e-5;
      EXPECT_NEAR(gradient(j), (score(up, rule) - score(down, rule)) / 2e-5, 1e-8);
    }
  }
}

TEST(Score, DegenerateInputsGiveSteps) {
  EXPECT_EQ(score(Vector::Constant(4, 2.5), effective_rule()), 1);
  EXPECT_EQ(score(Vector::Zero(4), effective_rule()), 0.5);
  EXPECT_EQ(score(Vector::Zero(4), indicator_rule()), 0);
  EXPECT_EQ(score(Vector::Zero(4), alpha_rule(3)), 0.5);
  EXPECT_EQ(score_gradient(Vector::Constant(4, 2.5), effective_rule()), Vector::Zero(4));
  const ScoreRule silent = analytic_rule(Vector::Zero(2));
  EXPECT_EQ(score(Eigen::Vector2d(0, 1), silent), 0.75);
  EXPECT_TRUE(score_gradient(Eigen::Vector2d(0, 1), silent).allFinite());
  EXPECT_TRUE(score_gradient(Vector::Zero(4), alpha_rule(1)).allFinite());
}

TEST(BimodalShare, CountsInputsWithTwoPeaks) {
  // α† with each input's own noise has scale 1.596 at every input: two peaks where |S/se| < 0.111.
  const Vector s{{0.1, 0.12, -0.05, 3, 0}};
  const Vector errors{{1, 1, 1, 1, 0}};
  EXPECT_DOUBLE_EQ(bimodal_share(s, errors, analytic_rule(errors)), 0.4);
  // A step is yes or no at every input whose sensitivity is not exact.
  EXPECT_DOUBLE_EQ(bimodal_share(s, errors, indicator_rule()), 0.8);
  // A flat sigmoid never has two.
  EXPECT_EQ(bimodal_share(s, errors, alpha_rule(0.1)), 0);
}

}  // namespace

}  // namespace atcav::stats
