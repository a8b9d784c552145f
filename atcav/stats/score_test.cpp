#include "atcav/stats/score.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "atcav/stats/alpha.h"

namespace atcav::stats {
namespace {

const Vector& known() {
  static const Vector values = (Vector(8) << 1, -5, 4, 6.5, -3, -2.5, 0, 2).finished();
  return values;
}

// PEERS.md: the sign count of these is 0.5, of [0] is 0.
TEST(Tcav, KnownAnswers) {
  EXPECT_EQ(tcav(known()), 0.5);
  EXPECT_EQ(tcav(Vector::Zero(1)), 0);
  EXPECT_EQ(heaviside_tcav(Vector::Zero(1)), 0.5);
  EXPECT_EQ(zero_share(known()), 0.125);
  EXPECT_EQ(heaviside_tcav(known()), 0.5625);
  EXPECT_THROW(tcav(Vector(0)), std::invalid_argument);
}

// PEERS.md: complementary concepts have opposite magnitudes; counts and zeros sum to 1.
TEST(Tcav, ComplementaryConcepts) {
  EXPECT_EQ(magnitude(known()), -magnitude(-known()));
  EXPECT_EQ(tcav(known()) + tcav(-known()) + zero_share(known()), 1);
}

// PEERS.md: CAV [1,2,3] against gradients [3,2,1] and [0,1,2].
TEST(Sensitivity, KnownInnerProducts) {
  const Matrix gradients = (Matrix(2, 3) << 3, 2, 1, 0, 1, 2).finished();
  EXPECT_EQ(gradients * Eigen::Vector3d(1, 2, 3), Eigen::Vector2d(10, 8));
}

TEST(AlphaTcav, LimitsAreHalfAndHeaviside) {
  EXPECT_EQ(alpha_tcav(known(), 0, 1), 0.5);
  EXPECT_EQ(alpha_tcav(known(), std::numeric_limits<double>::infinity(), 1), 0.5625);
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

}  // namespace
}  // namespace atcav::stats
