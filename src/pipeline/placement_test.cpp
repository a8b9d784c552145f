#include "pipeline/placement.h"

#include <gtest/gtest.h>

#include "model/testing_model.h"

namespace atcav {
namespace {

using model::Pool;

// 2 channels × 3 positions, channels first: what pooling a moved layer adds is the step, and steps and pooled
// gradients are adjoint.
class PlacementTest : public testing::Test {
 protected:
  PlacementTest() {
    layer_.what.channels_first = true;
    layer_.columns = 2;
  }
  HostRows rows_{MatrixF{{1, 5, 2, 9, 8, 7}, {0, 0, 4, 1, 6, 2}}};
  MatrixF mask_{{1, 1, 0}, {1, 1, 1}};
  ProbedLayer layer_;
  model::TestingModel network_;
};

TEST_F(PlacementTest, AStepMovesWhatIsPooledByItself) {
  const Eigen::VectorXf step{{0.5F, -0.25F}};
  for (const Pool pool : {Pool::kMean, Pool::kFirst, Pool::kLast, Pool::at(1)}) {
    const Placement place(rows_, layer_, pool, mask_);
    const MatrixF steps = place.steps(step);
    const HostRows moved(MatrixF(rows_.host()) + (steps.rows() == 1 ? steps.replicate(2, 1).eval() : steps));
    const Matrix change = Placement(moved, layer_, pool, mask_).pooled() - place.pooled();
    EXPECT_TRUE(change.isApprox(step.cast<double>().transpose().replicate(2, 1))) << model::pool_text(pool);
  }
}

TEST_F(PlacementTest, MaskedTokensDoNotCount) {
  EXPECT_EQ(Placement(rows_, layer_, Pool::kMean, mask_).pooled()(0, 0), 3);
  EXPECT_EQ(Placement(rows_, layer_, Pool::kLast, mask_).pooled()(0, 1), 8);
  EXPECT_EQ(Placement(rows_, layer_, Pool::kMax, mask_).pooled()(1, 0), 4);
}

TEST_F(PlacementTest, GradientsArePooledAsStepsAreSpread) {
  const MatrixF gradient{{1, 2, 3, 4, 5, 6}, {-1, 0, 2, 3, 1, 1}};
  const Eigen::VectorXf step{{2, 3}};
  for (const MatrixF& mask : {mask_, MatrixF()}) {
    for (const Pool pool : {Pool::kMean, Pool::kMax, Pool::kLast, Pool::kFirst, Pool::at(1)}) {
      const Placement place(rows_, layer_, pool, mask);
      const MatrixF steps = place.steps(step);
      const Matrix pooled = place.pooled_gradients(gradient);
      for (Index i = 0; i < 2; ++i) {
        EXPECT_NEAR(pooled.row(i).dot(step.cast<double>()),
                    steps.row(steps.rows() == 1 ? 0 : i).dot(gradient.row(i)), 1e-5)
            << model::pool_text(pool);
      }
      EXPECT_TRUE(
          place.sum_of_gradients(network_, HostRows(MatrixF(gradient)), 1).isApprox(pooled.colwise().sum()))
          << model::pool_text(pool);
    }
  }
}

TEST_F(PlacementTest, WithoutAPoolNothingChanges) {
  layer_.columns = 6;
  const Placement place(rows_, layer_, Pool::kNone, {});
  EXPECT_EQ(place.steps(Eigen::VectorXf::Ones(6)).rows(), 1);
  EXPECT_EQ(place.pooled(), Matrix(rows_.host().cast<double>()));
}

}  // namespace
}  // namespace atcav
