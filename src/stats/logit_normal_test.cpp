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

}  // namespace
}  // namespace atcav::stats
