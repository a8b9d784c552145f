#include "atcav/span/moments.h"

#include <algorithm>

namespace atcav::span {

Moments::Moments(Index inputs, Index blocks)
    : sums_(Matrix::Zero(inputs, blocks)),
      counts_(Vector::Zero(blocks)),
      mean_(Vector::Zero(inputs)),
      scatter_(Matrix::Zero(inputs, inputs)) {}

void Moments::add(const MatrixRef& projections) {
  for (Index i = 0; i < projections.cols(); ++i) {
    const Index block = (count_ + i) % counts_.size();
    sums_.col(block) += projections.col(i);
    counts_(block) += 1;
  }
  const auto before = static_cast<double>(count_);
  const auto added = static_cast<double>(projections.cols());
  const Vector mean = projections.rowwise().mean();
  const Matrix centred = projections.colwise() - mean;
  const Vector shift = mean - mean_;
  scatter_.noalias() += centred * centred.transpose();
  scatter_.noalias() += shift * (before * added / (before + added)) * shift.transpose();
  mean_ += shift * (added / (before + added));
  count_ += projections.cols();
}

Projections Moments::result() const {
  Projections result;
  result.values = sums_.array().rowwise() / counts_.transpose().array();
  result.weights = counts_;
  result.covariance = scatter_ / static_cast<double>(std::max<Index>(count_ - 1, 1));
  return result;
}

}  // namespace atcav::span
