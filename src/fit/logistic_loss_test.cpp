#include "fit/logistic_loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atcav::fit {
namespace {

constexpr double kCost = 0.7;

double loss(const WeightedRows& rows, const Vector& margins) {
  double sum = 0;
  for (Index i = 0; i < margins.size(); ++i)
    sum += kCost * rows.weights(i) * std::log1p(std::exp(-rows.labels(i) * margins(i)));
  return sum;
}

TEST(LogisticLoss, PullsAreItsSlope) {
  const WeightedRows rows{Vector{{1, 0, 3, 2}}, Vector{{1, 1, -1, -1}}};
  const Vector margins{{0.3, 5, -2, 0.1}};
  const Vector pulls = logistic_pulls(rows, kCost, margins);
  for (Index i = 0; i < 4; ++i) {
    const Vector step = 1e-5 * Vector::Unit(4, i);
    EXPECT_NEAR(pulls(i), (loss(rows, margins - step) - loss(rows, margins + step)) / 2e-5, 1e-9);
  }
}

// One row, f = w: the objective's slope after the step is a tenth of the first one at most, or the step
// whole.
TEST(LogisticLoss, AStepEndsWhereTheSlopeIsNearlyGone) {
  const WeightedRows rows{Vector{{1}}, Vector{{1}}};
  for (const double change : {0.1, 1.0, 30.0, 1000.0}) {
    const auto slope = [&](double w) { return change * (w - kCost / (1 + std::exp(w))); };
    const double length = logistic_step(rows, kCost, Vector{{0}}, Vector{{change}}, 0, change * change);
    EXPECT_GT(length, 0);
    // A whole step may end on the way down.
    const double after = slope(length * change);
    EXPECT_LE(length < 1 ? std::abs(after) : after, 0.1 * std::abs(slope(0)));
  }
}

}  // namespace
}  // namespace atcav::fit
