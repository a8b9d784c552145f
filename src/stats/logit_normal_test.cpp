#include "stats/logit_normal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "stats/normal.h"

namespace atcav::stats {
namespace {

struct Reference {
  double location, scale, mean, variance;
};

// mpmath, 50 digits, tanh–sinh in quarter panels: from nearly a point to nearly Bernoulli and far into the
// tail.
constexpr Reference kReferences[] = {
    {0, 1, 0.5, 0.043379035858092963},
    {0.3, 2, 0.5453258684360088, 0.097538195837275302},
    {-1, 0.5, 0.27941918475670069, 0.0094029317360689336},
    {-2, 1e-06, 0.11920292202215754, 1.1023652975890693e-14},
    {-12, 4, 0.0033064143044416762, 0.0010863064237037679},
    {-30, 3, 8.423463179772604e-12, 5.743939430906986e-19},
    {-30, 0.1, 9.4045282491650031e-14, 8.8888855125729418e-29},
    {-5, 20, 0.40168788213840122, 0.22107526350002303},
    {-0.7, 1000, 0.49972074088588712, 0.2496009804879176},
    {-3, 1e6, 0.4999988031731588, 0.24999960105628721},
    {-200, 10, 7.1750959731644104e-66, 6.3761709449180765e-88},
    {-600, 30, 6.6165482025558645e-89, 2.2184792874909114e-89},
};

TEST(LogitNormal, AgreesWithHighPrecisionReference) {
  for (const Reference& r : kReferences) {
    const Moments moments = logit_normal(r.location, r.scale);
    EXPECT_NEAR(moments.mean / r.mean, 1, 1e-12) << r.location << " " << r.scale;
    EXPECT_NEAR(moments.variance / r.variance, 1, 1e-10) << r.location << " " << r.scale;
  }
}

TEST(LogitNormal, MirrorsAtZero) {
  for (const Reference& r : kReferences) {
    const Moments low = logit_normal(-r.location, r.scale);
    const Moments high = logit_normal(r.location, r.scale);
    EXPECT_NEAR(low.mean + high.mean, 1, 1e-15);
    EXPECT_EQ(low.variance, high.variance);
  }
}

TEST(LogitNormal, PointAndBernoulliAreTheLimits) {
  EXPECT_EQ(logit_normal(0.4, 0).mean, sigmoid(0.4));
  EXPECT_EQ(logit_normal(0.4, 0).variance, 0);
  const Moments wide = logit_normal(-1e300, 1e300);
  EXPECT_NEAR(wide.mean, normal_cdf(-1), 1e-14);
  EXPECT_NEAR(wide.variance, normal_cdf(-1) * normal_cdf(1), 1e-14);
}

TEST(LogitNormal, UnderflowsToZeroNotToNan) {
  EXPECT_EQ(logit_normal(-1e5, 1).mean, 0);
  EXPECT_EQ(logit_normal(1e5, 1).mean, 1);
  EXPECT_EQ(logit_normal(-1e300, 1e-300).variance, 0);
}

// MacKay's mean and Daunizeau's variance over -5 … 5 and 0 … 10: the errors the header states.
TEST(LogitNormalApproximate, StaysNearTheExactMoments) {
  double mean_error = 0;
  double variance_error = 0;
  for (double m = -5; m <= 5; m += 0.5) {
    for (double v = 0; v <= 10; v += 0.5) {
      const Moments exact = logit_normal(m, v);
      const Moments rough = logit_normal_approximate(m, v);
      mean_error = std::max(mean_error, std::abs(exact.mean - rough.mean));
      variance_error = std::max(variance_error, std::abs(exact.variance - rough.variance));
    }
  }
  EXPECT_LT(mean_error, 0.02);
  EXPECT_GT(mean_error, 0.01);
  EXPECT_LT(variance_error, 0.02);
}

TEST(LogitNormal, RefusesBadParameters) {
  EXPECT_THROW(logit_normal(0, -1), std::invalid_argument);
  EXPECT_THROW(logit_normal(std::numeric_limits<double>::quiet_NaN(), 1), std::invalid_argument);
  EXPECT_THROW(logit_normal_approximate(0, std::numeric_limits<double>::infinity()), std::invalid_argument);
}

// Peaks counted on a grid of the density itself, in y = logit of the score: log f = -(y-m)²/2v² - log s'(y).
int counted_peaks(double location, double scale) {
  const auto log_density = [&](double y) {
    return -0.5 * std::pow((y - location) / scale, 2) + std::abs(y) + 2 * std::log1p(std::exp(-std::abs(y)));
  };
  constexpr double kStep = 1e-3;
  int peaks = 0;
  bool rising = true;
  const double reach = std::abs(location) + scale * scale + 1;
  for (double y = -reach; y <= reach; y += kStep) {
    const bool rises = log_density(y + kStep) > log_density(y);
    peaks += rising && !rises ? 1 : 0;
    rising = rises;
  }
  return peaks;
}

TEST(BimodalLocation, SaysHowManyPeaksAreCounted) {
  for (const double scale : {0.5, 1.0, 1.3, 1.45, 1.6, 2.0, 3.0, 5.0}) {
    for (const double location : {0.0, 0.05, 0.2, 0.5, 0.847, 1.5, 3.0, 6.0, 12.0, 20.0}) {
      EXPECT_EQ(counted_peaks(location, scale), bimodal_location(scale) > location ? 2 : 1)
          << location << " " << scale;
    }
  }
}

TEST(BimodalLocation, KnownCases) {
  // The paper's figure: location 0.847, scale 3 has two peaks, scale ½ one. At location 0 the border is v²
  // = 2.
  EXPECT_GT(bimodal_location(3), 0.847);
  EXPECT_EQ(bimodal_location(0.5), 0);
  EXPECT_NEAR(bimodal_location(std::sqrt(2.0)), 0, 1e-15);
  EXPECT_GT(bimodal_location(1.4143), 0);
  EXPECT_NEAR(bimodal_location(1e8) / 1e16, 1, 1e-12);
  EXPECT_THROW(bimodal_location(-1), std::invalid_argument);
}

TEST(BimodalScale, InvertsTheBorder) {
  EXPECT_NEAR(bimodal_scale(0), std::sqrt(2.0), 1e-10);  // where the bound leaves 0 it is flat
  for (const double signal : {0.01, 0.1, 0.5, 2.0, 30.0, 1e6}) {
    const double scale = bimodal_scale(-signal);
    EXPECT_NEAR(bimodal_location(scale) / scale, signal, 1e-9 * (1 + signal)) << signal;
  }
}

}  // namespace
}  // namespace atcav::stats
