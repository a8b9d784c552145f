#include "atcav/span/projector.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"

namespace atcav::span {
namespace {

struct Case {
  Index inputs, rows, columns;
};

class ProjectorCase : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto [inputs, rows, columns] = GetParam();
    Stream stream(3);
    gradients = stream.normal_matrix(inputs, columns).cast<float>();
    x = (stream.normal_matrix(rows, columns).array() + 1000).cast<float>();
    centre = x.topRows(std::min<Index>(rows, 5)).colwise().mean().transpose();
    const Matrix centred = x.cast<double>().rowwise() - centre.cast<double>().transpose();
    expected = gradients.cast<double>() * centred.transpose();
    for (Index i = 0; i < rows; ++i) {
      if (i == 0) sums = Matrix::Zero(3, columns);
      sums.row((i + 7) % 3) += centred.row(i);
    }
  }

  MatrixF gradients, x;
  Eigen::VectorXf centre;
  Matrix expected, sums;
};

TEST_P(ProjectorCase, ExactAgreesWithDouble) {
  Projector projector(gradients, centre, true, 2);
  Matrix fold_sums = Matrix::Zero(3, x.cols());
  const Matrix projections = projector.project(x, 7, fold_sums);
  EXPECT_LE((projections - expected).norm(), 1e-13 * expected.norm());
  EXPECT_LE((fold_sums - sums).norm(), 1e-14 * sums.norm());
}

TEST_P(ProjectorCase, FloatAgreesNormWise) {
  Projector projector(gradients, centre, false, 2);
  Matrix fold_sums = Matrix::Zero(3, x.cols());
  const Matrix projections = projector.project(x, 7, fold_sums);
  // One float rounding is 6e-8; sums of up to 2048 products lose a few of them.
  EXPECT_LE((projections - expected).norm(), 1e-6 * expected.norm());
  EXPECT_LE((fold_sums - sums).norm(), 1e-6 * sums.norm());
}

TEST_P(ProjectorCase, BitsDoNotDependOnThreadsAndBatchesMayFollowEachOther) {
  for (const bool exact : {false, true}) {
    Matrix first_projections;
    Matrix first_sums;
    for (const int threads : {1, 2, 3}) {
      Projector projector(gradients, centre, exact, threads);
      Matrix fold_sums = Matrix::Zero(3, x.cols());
      const Matrix projections = projector.project(x, 7, fold_sums);
      EXPECT_EQ(projector.project(x.topRows(1), 0, fold_sums).rows(), gradients.rows());
      if (threads == 1) {
        first_projections = projections;
        first_sums = fold_sums;
      }
      EXPECT_TRUE((projections.array() == first_projections.array()).all());
      EXPECT_TRUE((fold_sums.array() == first_sums.array()).all());
    }
  }
}

// Below and above one tile, one stripe and eight stripes; widths that fill none of them.
INSTANTIATE_TEST_SUITE_P(Sizes, ProjectorCase,
                         testing::Values(Case{1, 1, 1}, Case{3, 5, 511}, Case{17, 300, 1500},
                                         Case{33, 20, 20001}, Case{2, 600, 513}));

}  // namespace
}  // namespace atcav::span
