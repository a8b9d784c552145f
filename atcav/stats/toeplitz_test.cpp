#include "atcav/stats/toeplitz.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::stats {
namespace {

TEST(ToeplitzCovariance, WrittenOut) {
  const Matrix expected{{1, 0.4, 0.16}, {0.4, 1, 0.4}, {0.16, 0.4, 1}};
  EXPECT_LT((toeplitz_covariance(3, 0.4) - expected).norm(), 1e-15);
  EXPECT_EQ(toeplitz_covariance(2, 0), Matrix(Matrix::Identity(2, 2)));
  EXPECT_THROW(toeplitz_covariance(3, 1), std::invalid_argument);
  EXPECT_THROW(toeplitz_covariance(0, 0.1), std::invalid_argument);
}

TEST(SampleToeplitz, HasTheMomentsAskedFor) {
  const Vector mean{{1.0, -2.0, 0.5, 3.0}};
  Stream stream(7, {kTaskSimulation});
  const Matrix x = sample_toeplitz(mean, -0.6, 40000, stream);
  const Matrix centred = x.rowwise() - mean.transpose();
  // A mean of 40,000 has standard error 0.005, a covariance at most 0.0071.
  EXPECT_LT(centred.colwise().mean().cwiseAbs().maxCoeff(), 0.02);
  const Matrix covariance = centred.transpose() * centred / 40000;
  EXPECT_LT((covariance - toeplitz_covariance(4, -0.6)).cwiseAbs().maxCoeff(), 0.03);
}

TEST(SampleToeplitz, SameKeySameRows) {
  Stream first(3, {1});
  Stream second(3, {1});
  const Vector mean = Vector::Zero(5);
  EXPECT_EQ(sample_toeplitz(mean, 0.2, 6, first), sample_toeplitz(mean, 0.2, 6, second));
  EXPECT_EQ(sample_toeplitz(mean, 0.2, 0, first).rows(), 0);
  EXPECT_THROW(sample_toeplitz(mean, 1.5, 6, first), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
