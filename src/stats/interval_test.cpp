#include "atcav/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

TEST(NormalInterval, KnownQuantileAndCut) {
  const Interval interval = normal_interval(0.5, 0.1, 0.95);
  EXPECT_NEAR(interval.low, 0.5 - 0.1959963984540054, 1e-14);
  EXPECT_NEAR(interval.high, 0.5 + 0.1959963984540054, 1e-14);
  EXPECT_EQ(normal_interval(0.99, 0.1, 0.95).high, 1);
  EXPECT_EQ(normal_interval(0.01, 0.1, 0.95).low, 0);
  EXPECT_THROW(normal_interval(0.5, 0.1, 1), std::invalid_argument);
}

// numpy.percentile([1, 2, 3, 4], [25, 75]) is [1.75, 3.25].
TEST(PercentileInterval, InterpolatesAsNumpyDoes) {
  const Interval interval = percentile_interval({4, 1, 3, 2}, 0.5);
  EXPECT_DOUBLE_EQ(interval.low, 1.75);
  EXPECT_DOUBLE_EQ(interval.high, 3.25);
  EXPECT_EQ(percentile_interval({0.3}, 0.95).low, 0.3);
  EXPECT_THROW(percentile_interval({}, 0.95), std::invalid_argument);
}

// Wilson's 8 of 10 and Newcombe's (1998, table II) 56 of 70 against 48 of 80.
TEST(ShareInterval, PublishedValues) {
  const Interval wilson = share_interval(8, 10, 0.95);
  EXPECT_NEAR(wilson.low, 0.4901625, 1e-6);
  EXPECT_NEAR(wilson.high, 0.9433178, 1e-6);
  EXPECT_EQ(share_interval(10, 10, 0.95).high, 1);
  EXPECT_EQ(share_interval(0, 10, 0.95).low, 0);
  // Newcombe's difference is 0.0524 to 0.3339: a - b is twice the mean of a and 1 - b, less 1.
  const Interval mean = mean_share_interval(56, 70, 80 - 48, 80, 0.95);
  EXPECT_NEAR(2 * mean.low - 1, 0.0524, 5e-5);
  EXPECT_NEAR(2 * mean.high - 1, 0.3339, 5e-5);
}

// Independent noise: the truth is known, and the bound must hold it in at least 95 % of 300 drawings.
// All outcomes of 30 pairs with P(gained) 0.25 and P(lost) 0.1, by their trinomial probabilities.
TEST(PairedChangeInterval, CoversTheChangeExactlyCounted) {
  constexpr int kPairs = 30;
  constexpr double kGained = 0.25;
  constexpr double kLost = 0.1;
  double covered = 0;
  for (int gained = 0; gained <= kPairs; ++gained) {
    for (int lost = 0; lost + gained <= kPairs; ++lost) {
      const Interval interval = paired_change_interval(gained, lost, kPairs, 0.95);
      EXPECT_LE(interval.low, static_cast<double>(gained - lost) / kPairs);
      EXPECT_GE(interval.high, static_cast<double>(gained - lost) / kPairs);
      if (interval.low > kGained - kLost || interval.high < kGained - kLost) continue;
      const int same = kPairs - gained - lost;
      covered += std::exp(std::lgamma(kPairs + 1) - std::lgamma(gained + 1) - std::lgamma(lost + 1) -
                          std::lgamma(same + 1) + gained * std::log(kGained) + lost * std::log(kLost) +
                          same * std::log(1 - kGained - kLost));
    }
  }
  EXPECT_NEAR(covered, 0.95, 0.01);  // shares of 30 are discrete
  EXPECT_THROW(paired_change_interval(0, 0, 0, 0.95), std::invalid_argument);
}

TEST(PositiveShareInterval, HoldsTheTruthAndTheEstimate) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(generator); };
  int right = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    Vector truth(12);
    for (Index j = 0; j < 12; ++j) truth(j) = j < 8 ? 2.5 : -1;
    const Vector s = truth + Vector::NullaryExpr(12, draw);
    const Matrix refits = Matrix::NullaryExpr(200, 12, draw).rowwise() + s.transpose();
    const Interval interval = positive_share_interval(s, Vector::Ones(12), refits, 0.95);
    right += interval.low <= 8.0 / 12 && interval.high >= 8.0 / 12;
    const double share = static_cast<double>((s.array() > 0).count()) / 12;
    EXPECT_LE(interval.low, share);
    EXPECT_GE(interval.high, share);
  }
  EXPECT_GE(right, 285 - 8);  // two standard errors
}

// One input: its sign is sure where S exceeds the (1 + level)/2 quantile of the noise, here of -49.5 … 49.5.
TEST(PositiveShareInterval, OfOneInputFollowsTheQuantileOfTheNoise) {
  const auto low = [](double s, double level) {
    const Vector sensitivity = Vector::Constant(1, s);
    const Matrix refits = Vector::LinSpaced(100, s - 49.5, s + 49.5);
    return positive_share_interval(sensitivity, Vector::Ones(1), refits, level).low;
  };
  EXPECT_EQ(low(24.4, 0.5), 0);
  EXPECT_EQ(low(24.6, 0.5), 1);
  EXPECT_EQ(low(48.4, 0.97), 0);
  EXPECT_EQ(low(48.6, 0.97), 1);
  EXPECT_EQ(low(49.4, 0.99), 0);
  EXPECT_EQ(low(49.6, 0.99), 1);
}

TEST(PositiveShareInterval, WithoutNoiseItIsTcav) {
  const Vector s = Eigen::Vector4d(1, 2, -1, 0);
  const Interval interval =
      positive_share_interval(s, Vector::Zero(4), Matrix(s.transpose().replicate(50, 1)), 0.95);
  EXPECT_EQ(interval.low, 0.5);
  EXPECT_EQ(interval.high, 0.75);  // an exact zero may be either
}

TEST(Errors, ClosedForms) {
  EXPECT_DOUBLE_EQ(two_sample_error(4, 100, 9, 900), std::sqrt(0.04 + 0.01));
  EXPECT_DOUBLE_EQ(mean_error(Eigen::Vector3d(1, 2, 3)), std::sqrt(1.0 / 3));
  EXPECT_EQ(mean_error(Vector::Ones(1)), 0);
}

// The definition, with every value compared with every other.
Index surely_positive(const Vector& s, const Matrix& refits, double level) {
  const Index count = refits.rows();
  const Index m = s.size();
  Matrix noise = refits.rowwise() - s.transpose();
  for (Index b = 0; b < count; ++b) std::sort(noise.row(b).begin(), noise.row(b).end(), std::greater<>());
  std::vector<Index> extreme;
  for (Index b = 0; b < count; ++b) {
    Index least = count;
    for (Index k = 0; k < m; ++k) least = std::min(least, (noise.col(k).array() >= noise(b, k)).count());
    extreme.push_back(least);
  }
  std::sort(extreme.begin(), extreme.end());
  const Index r = extreme[static_cast<std::size_t>((1 - level) / 2 * static_cast<double>(count))];
  Index sure = 0;
  for (Index k = 0; k < m; ++k) {
    Vector column = noise.col(k);
    std::sort(column.begin(), column.end(), std::greater<>());
    sure = std::max(sure, (s.array() > std::max(0.0, column(r - 1))).count() - k);
  }
  return sure;
}

TEST(PositiveShareInterval, IsItsDefinition) {
  for (const Index inputs : {1, 3, 17, 300}) {
    for (const double coarse : {0.0, 0.5}) {  // rounded values tie
      for (const double level : {0.5, 0.95}) {
        Stream stream(static_cast<std::uint64_t>(inputs));
        Vector s = 2 * stream.normal_matrix(inputs, 1).col(0);
        Matrix refits = stream.normal_matrix(150, inputs).rowwise() + s.transpose();
        if (coarse > 0) {
          s = (s / coarse).array().round() * coarse;
          refits = (refits / coarse).array().round() * coarse;
        }
        const Interval found = positive_share_interval(s, Vector::Ones(inputs), refits, level, 1);
        const auto m = static_cast<double>(inputs);
        EXPECT_EQ(found.low, static_cast<double>(surely_positive(s, refits, level)) / m) << inputs;
        EXPECT_EQ(found.high, 1 - static_cast<double>(surely_positive(-s, -refits, level)) / m) << inputs;
      }
    }
  }
}

}  // namespace
}  // namespace atcav::stats
