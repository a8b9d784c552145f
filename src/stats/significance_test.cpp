#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/interval.h"

namespace atcav::stats {
namespace {

const Vector& first() {
  static const Vector values = (Vector(6) << 0, 0, .5, .5, 1, 1).finished();
  return values;
}
const Vector& second() {
  static const Vector values = (Vector(6) << 3, 5, -8, -100, 0, -90).finished();
  return values;
}

// scipy.stats.ttest_ind(a, b, equal_var=False).
TEST(WelchTTest, AgreesWithScipy) {
  const TTest result = welch_t_test(first(), second());
  EXPECT_NEAR(result.p, 0.1713108584455196, 1e-12);
  EXPECT_NEAR(result.degrees, 5.0008209281906142, 1e-9);
}

TEST(PooledTTest, KnownAnswer) { EXPECT_NEAR(pooled_t_test(first(), second()).p, 0.1415165926492605, 1e-14); }

TEST(TTest, SamplesWithoutSpread) {
  EXPECT_EQ(welch_t_test(Vector::Ones(3), Vector::Ones(4)).p, 1);
  EXPECT_EQ(welch_t_test(Vector::Ones(3), Vector::Zero(4)).p, 0);
  EXPECT_THROW(welch_t_test(Vector::Ones(1), Vector::Zero(4)), std::invalid_argument);
}

TEST(Bonferroni, MultipliesAndCuts) {
  EXPECT_EQ(bonferroni({0.01, 0.25, 0.5}), (std::vector<double>{0.03, 0.75, 1}));
  EXPECT_TRUE(bonferroni({}).empty());
}

// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH") is 0.02, 0.04, 0.04, 0.02.
TEST(BenjaminiHochberg, AgreesWithR) {
  const std::vector<double> adjusted = benjamini_hochberg({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.02, 0.04, 0.04, 0.02};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15);
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

}  // namespace

}  // namespace atcav::stats
