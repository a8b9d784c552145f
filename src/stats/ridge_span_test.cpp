#include "stats/ridge_span.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "atcav/random.h"
#include "stats/erasure.h"

namespace atcav::stats {
namespace {

// A concept that five columns of different spread tell.
struct SpanSets {
  Matrix random, concept_rows;
  Eigen::RowVectorXd difference() const { return concept_rows.colwise().mean() - random.colwise().mean(); }
  Matrix all() const {
    Matrix rows(random.rows() + concept_rows.rows(), random.cols());
    rows << random, concept_rows;
    return rows;
  }
  Matrix centred() const {
    Matrix rows = all();
    rows.rowwise() -= Eigen::RowVectorXd(rows.colwise().mean());
    return rows;
  }
};

SpanSets draw(Index n_random, Index n_concept, Index d, std::uint64_t seed) {
  const Vector scale = Vector::LinSpaced(d, 0.5, 2);
  SpanSets sets{Stream(seed).normal_matrix(n_random, d) * scale.asDiagonal(),
                Stream(seed + 1).normal_matrix(n_concept, d) * scale.asDiagonal()};
  sets.concept_rows.leftCols(5).array() += 1;
  return sets;
}

Vector ridge(const SpanSets& sets, double lambda) {
  const Matrix rows = sets.all();
  return rows.transpose() * ridge_coefficients(rows * rows.transpose(), sets.random.rows(), lambda);
}

// Shares decide what is taken away; in double.
Vector exact_shares(const Vector& w, const SpanSets& sets, const Matrix& rows) {
  const Eigen::RowVectorXd mean = sets.random.colwise().mean();
  return (rows.rowwise() - mean) * w / sets.difference().dot(w);
}

// d ≤ n, where the covariance has an inverse: w = C⁻¹ δ, Belrose et al. 2023, theorem 4.3 for one label.
TEST(RidgeCoefficients, AreLeaceAsLambdaVanishes) {
  const SpanSets sets = draw(300, 100, 20, 9);
  const Matrix rows = sets.centred();
  const Matrix covariance = rows.transpose() * rows / 400;
  const Vector leace = covariance.ldlt().solve(sets.difference().transpose());
  const Matrix fresh = draw(50, 50, 20, 11).all();
  const Vector expected = exact_shares(leace, sets, fresh);
  EXPECT_LT((exact_shares(ridge(sets, 0), sets, fresh) - expected).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((exact_shares(ridge(sets, 1e-11), sets, fresh) - expected).cwiseAbs().maxCoeff(), 1e-8);
}

// d = 5000, n = 200: the pseudo-inverse of the covariance within the span, by an SVD of the rows themselves.
TEST(RidgeCoefficients, AreLeaceInTheSpanWithoutAMatrixOfDByD) {
  const SpanSets sets = draw(130, 70, 5000, 13);
  const Matrix rows = sets.centred();
  const Eigen::BDCSVD<Eigen::MatrixXd> parts(rows.transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
  Vector scale = parts.singularValues().cwiseAbs2().cwiseInverse();
  scale(199) = 0;  // centred rows have rank 199
  const Vector leace =
      parts.matrixU() * (scale.asDiagonal() * (parts.matrixU().transpose() * sets.difference().transpose()));
  const Matrix span = Stream(15).normal_matrix(20, 200) * rows / std::sqrt(200.0);
  const double error =
      (exact_shares(ridge(sets, 0), sets, span) - exact_shares(leace, sets, span)).cwiseAbs().maxCoeff();
  RecordProperty("error", std::to_string(error));
  EXPECT_LT(error, 1e-8);
}

// Fresh rows, erased: a probe fitted on half of them tells the other half by chance. Of 4,000 rows a share of
// 0.5 is known to 0.008 (one standard error).
TEST(RidgeCoefficients, LeaveNothingToALinearProbe) {
  const SpanSets sets = draw(12000, 12000, 20, 17);
  const auto part = [&](Index first, Index count) {
    return SpanSets{sets.random.middleRows(first, count), sets.concept_rows.middleRows(first, count)};
  };
  const SpanSets own = part(0, 8000);
  const Matrix delta = own.difference();
  // By its covariance, which is what λ → 0 gives where d ≤ n (above).
  const Matrix centred = own.centred();
  const Matrix w = (centred.transpose() * centred).ldlt().solve(delta.transpose()).transpose();
  const auto eraser = make_eraser(delta, w, own.random.colwise().mean().transpose());
  ASSERT_TRUE(eraser);
  const auto accuracy = [&](bool erased) {
    const auto seen = [&](const Matrix& rows) {
      return erased ? Matrix(erase(*eraser, rows.cast<float>()).cast<double>()) : rows;
    };
    const SpanSets train{seen(part(8000, 600).random), seen(part(8000, 600).concept_rows)};
    const Vector probe = ridge(train, 1e-6);
    const double middle = 0.5 * (train.random * probe).mean() + 0.5 * (train.concept_rows * probe).mean();
    const SpanSets test = part(9000, 2000);
    const double hits = ((seen(test.random) * probe).array() < middle).cast<double>().sum() +
                        ((seen(test.concept_rows) * probe).array() > middle).cast<double>().sum();
    return hits / 4000;
  };
  const double before = accuracy(false);
  const double after = accuracy(true);
  RecordProperty("before", std::to_string(before));
  RecordProperty("after", std::to_string(after));
  EXPECT_GT(before, 0.85);
  EXPECT_NEAR(after, 0.5, 0.025);
}

}  // namespace
}  // namespace atcav::stats
