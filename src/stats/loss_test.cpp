#include "stats/loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atcav::stats {
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
  const Vector pulls = bend_logistic(rows, kCost, margins).pulls;
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

TEST(RidgeLoss, IsASquare) {
  const WeightedRows rows{Vector{{1, 0, 3}}, Vector{{1, 1, -1}}};
  const Bend bend = bend_ridge(rows, 0.5, Vector{{0.5, 2, -3}});
  EXPECT_TRUE(bend.curved.isApprox(Vector{{0.5, 0, 1.5}}));
  EXPECT_TRUE(bend.pulls.isApprox(Vector{{0.25, 0, 3}}));
}

// x = -2, -1, 1, 2 in one column with labels by sign: w = 1, b = 0 has the middle rows on their margins, α =
// ½.
struct Line {
  WeightedRows rows{Vector::Ones(4), Vector{{-1, -1, 1, 1}}};
  Vector x{{-2, -1, 1, 2}};
  Vector diagonal = x.cwiseAbs2();
  FitPoint best{Vector{{0, -0.5, 0.5, 0}}, x, 0};
};

TEST(SvmSides, KnowTheSolution) {
  const Line line;
  EXPECT_TRUE(is_svm_optimum(line.rows, 1, line.diagonal, line.best));
  SvmSides sides(false);
  sides.choose(line.rows, 1, line.diagonal, line.best);
  const Bend bend = sides.choose(line.rows, 1, line.diagonal, line.best);
  EXPECT_EQ(sides.changed(), 0);
  EXPECT_EQ((bend.curved.array() > 0).cast<int>().matrix(), (Eigen::Vector4i(0, 1, 1, 0)));
  EXPECT_TRUE(bend.pulls.isApprox(line.best.coefficients));
}

TEST(SvmSides, RefuseWhatIsNotTheSolution) {
  const Line line;
  FitPoint shifted = line.best;
  shifted.intercept = 1e-3;
  EXPECT_FALSE(is_svm_optimum(line.rows, 1, line.diagonal, shifted));
  FitPoint negative = line.best;
  negative.coefficients = Vector{{0.1, -0.6, 0.5, 0}};
  EXPECT_FALSE(is_svm_optimum(line.rows, 1, line.diagonal, negative));
  // With a cost of ¼ both are short of their margins.
  EXPECT_FALSE(is_svm_optimum(line.rows, 0.25, line.diagonal, line.best));
}

TEST(SvmSides, BeginSmoothAndLeaveOutRowsWithoutWeight) {
  Line line;
  line.rows.weights(0) = 0;
  SvmSides sides(true);
  const FitPoint nothing{Vector::Zero(4), Vector::Zero(4), 0};
  for (int i = 0; i < 4; ++i) {
    const Bend bend = sides.choose(line.rows, 100, line.diagonal, nothing);
    EXPECT_EQ(sides.changed(), 4);
    EXPECT_EQ(bend.curved(0), 0);
    EXPECT_LE(bend.curved(1), 30);
  }
  EXPECT_GT(sides.choose(line.rows, 100, line.diagonal, nothing).curved(1), 1e8);
}

TEST(SvmGap, IsZeroAtTheSolutionAlone) {
  const Line line;
  EXPECT_NEAR(svm_gap(line.rows, 1, line.best), 0, 1e-15);
  FitPoint shifted = line.best;
  shifted.intercept = 0.1;
  EXPECT_GT(svm_gap(line.rows, 1, shifted), 0.01);
}

}  // namespace
}  // namespace atcav::stats
