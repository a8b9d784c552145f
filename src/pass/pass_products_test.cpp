#include "pass/pass_products.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::pass {
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

  // The same rows where they do not follow each other.
  Matrix project_apart(bool exact, CarriedSums& fold_sums) const {
    MatrixF wide = MatrixF::Constant(x.rows(), x.cols() + 5, 77);
    wide.leftCols(x.cols()) = x;
    return Projector(gradients, centre, exact, 2).project(wide.leftCols(x.cols()), 7, fold_sums);
  }

  MatrixF gradients, x;
  Eigen::VectorXf centre;
  Matrix expected, sums;
};

TEST_P(ProjectorCase, ExactAgreesWithDouble) {
  CarriedSums fold_sums(Matrix::Zero(3, x.cols()));
  const Matrix projections = project_apart(true, fold_sums);
  EXPECT_LE((projections - expected).norm(), 1e-13 * expected.norm());
  EXPECT_LE((fold_sums.total() - sums).norm(), 1e-14 * sums.norm());
}

TEST_P(ProjectorCase, FloatAgreesNormWise) {
  CarriedSums fold_sums(Matrix::Zero(3, x.cols()));
  const Matrix projections = project_apart(false, fold_sums);
  // One float rounding is 6e-8; sums of up to 2048 products lose a few of them.
  EXPECT_LE((projections - expected).norm(), 1e-6 * expected.norm());
  EXPECT_LE((fold_sums.total() - sums).norm(), 1e-6 * sums.norm());
}

TEST_P(ProjectorCase, BitsDoNotDependOnThreadsAndBatchesMayFollowEachOther) {
  for (const bool exact : {false, true}) {
    Matrix first_projections;
    Matrix first_sums;
    for (const int threads : {1, 2, 3}) {
      Projector projector(gradients, centre, exact, threads);
      CarriedSums fold_sums(Matrix::Zero(3, x.cols()));
      const Matrix projections = projector.project(x, 7, fold_sums);
      EXPECT_EQ(projector.project(x.topRows(1), 0, fold_sums).rows(), gradients.rows());
      if (threads == 1) {
        first_projections = projections;
        first_sums = fold_sums.total();
      }
      EXPECT_TRUE((projections.array() == first_projections.array()).all());
      EXPECT_TRUE((fold_sums.total().array() == first_sums.array()).all());
    }
  }
}

// Below and above one tile, one stripe and eight stripes; widths that fill none of them.
INSTANTIATE_TEST_SUITE_P(Sizes, ProjectorCase,
                         testing::Values(Case{1, 1, 1}, Case{2, 9, 17}, Case{3, 5, 511}, Case{17, 300, 1500},
                                         Case{33, 20, 20001}, Case{2, 600, 513}));

struct Sizes {
  Index first, second, columns;
};

class CentredGram : public testing::TestWithParam<Sizes> {
 protected:
  void SetUp() override {
    const auto [first, second, columns] = GetParam();
    Stream stream(9);
    a = (stream.normal_matrix(first, columns).array() + 1000).cast<float>();
    b = (stream.normal_matrix(second, columns).array() + 1001).cast<float>();
    centre = a.colwise().mean().transpose();
    const Eigen::RowVectorXd c = centre.cast<double>().transpose();
    Matrix all(first + second + 1, columns);
    all << a.cast<double>().rowwise() - c, b.cast<double>().rowwise() - c, c;
    expected = all * all.transpose();
    // Each entry in units of the two rows it belongs to: the centre is 1000 times longer than a row.
    scale = expected.diagonal().cwiseSqrt();
    sets = {{a.data(), first}, {b.data(), second}};
  }

  double error(const Matrix& gram) const {
    return ((gram - expected).array() / (scale * scale.transpose()).array()).abs().maxCoeff();
  }

  MatrixF a, b;
  Eigen::VectorXf centre;
  Matrix expected;
  Vector scale;
  std::vector<RowBlock> sets;
};

TEST_P(CentredGram, AgreesWithDouble) {
  EXPECT_LT(error(centred_gram(sets, centre, true, 2)), 1e-13);
  EXPECT_LT(error(centred_gram(sets, centre, false, 2)), 1e-6);  // a few float roundings of 6e-8
}

TEST_P(CentredGram, IsSymmetricAndTheSameForAnyNumberOfThreads) {
  const Matrix one = centred_gram(sets, centre, false, 1);
  EXPECT_TRUE((one.array() == one.transpose().array()).all());
  for (const int threads : {2, 3}) {
    EXPECT_TRUE((centred_gram(sets, centre, false, threads).array() == one.array()).all());
  }
}

TEST_P(CentredGram, IsTheSumOfItsParts) {
  for (const Index parts : {2, 5}) {
    Matrix sum = Matrix::Zero(expected.rows(), expected.cols());
    for (Index part = 0; part < parts; ++part) sum += centred_gram_part(sets, centre, false, 2, part, parts);
    mirror(sum);
    EXPECT_TRUE((sum.array() == centred_gram(sets, centre, false, 1).array()).all());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CentredGram,
                         testing::Values(Sizes{2, 1, 3}, Sizes{20, 11, 513}, Sizes{40, 300, 700},
                                         Sizes{5, 30, 9001}));

}  // namespace

}  // namespace atcav::pass
