#include "fit/svm_sides.h"

#include <gtest/gtest.h>

namespace atcav::fit {
namespace {

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
  sides.choose(line.rows, 1, line.diagonal, line.best);
  EXPECT_EQ(sides.changed(), 0);
  EXPECT_EQ((sides.curved().array() > 0).cast<int>().matrix(), (Eigen::Vector4i(0, 1, 1, 0)));
  EXPECT_TRUE(sides.pulls().isApprox(line.best.coefficients));
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
    sides.choose(line.rows, 100, line.diagonal, nothing);
    EXPECT_EQ(sides.changed(), 4);
    EXPECT_EQ(sides.curved()(0), 0);
    EXPECT_LE(sides.curved()(1), 30);
  }
  sides.choose(line.rows, 100, line.diagonal, nothing);
  EXPECT_GT(sides.curved()(1), 1e8);
}

}  // namespace
}  // namespace atcav::fit
