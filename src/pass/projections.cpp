#include "pass/projections.h"

#include <algorithm>
#include <cmath>

#include "core/block_product.h"
#include "core/parallel.h"

namespace atcav::pass {
namespace {

constexpr Index kBatch = 64;

}  // namespace

Index Projections::count() const { return static_cast<Index>(std::llround(weights.sum())); }

Vector Projections::mean() const { return values * (weights / weights.sum()); }

Vector Projections::variance() const {
  if (covariance) return covariance->diagonal();
  return (values.colwise() - mean()).rowwise().squaredNorm() / static_cast<double>(count() - 1);
}

double Projections::variance_along(const VectorRef& direction) const {
  if (covariance) return std::max(0.0, direction.dot(*covariance * direction));  // 0 may be rounded below
  const Vector along = values.transpose() * direction;
  return (along.array() - along.mean()).square().sum() / static_cast<double>(count() - 1);
}

Matrix Projections::covariances() const {
  if (covariance) return *covariance;
  const Matrix centred = values.colwise() - mean();
  return row_products(centred, 1) / static_cast<double>(count() - 1);
}

Projections Projections::inputs(Index first, Index count, int threads) const {
  Projections part{Matrix(count, columns()), weights, {}};
  parallel_for(count, threads, [&](Index row) { part.values.row(row) = values.row(first + row); });
  if (covariance) part.covariance = covariance->block(first, first, count, count);
  return part;
}

Moments::Moments(Index inputs, Index blocks)
    : waiting_(inputs, kBatch),
      sums_(Matrix::Zero(inputs, blocks)),
      counts_(Vector::Zero(blocks)),
      mean_(Vector::Zero(inputs)),
      scatter_(Matrix::Zero(inputs, inputs)) {}

void Moments::add(const MatrixRef& projections) {
  Index done = 0;
  while (done < projections.cols()) {
    const Index taken = std::min(kBatch - waiting_count_, projections.cols() - done);
    waiting_.middleCols(waiting_count_, taken) = projections.middleCols(done, taken);
    done += taken;
    waiting_count_ += taken;
    if (waiting_count_ < kBatch) return;
    merge(waiting_);
    waiting_count_ = 0;
  }
}

void Moments::merge(const MatrixRef& projections) {
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
  if (waiting_count_ > 0) {
    Moments all = *this;
    all.waiting_count_ = 0;
    all.merge(waiting_.leftCols(waiting_count_));
    return all.result();
  }
  Projections result;
  result.values = sums_.array().rowwise() / counts_.transpose().array();
  result.weights = counts_;
  result.covariance = scatter_ / static_cast<double>(std::max<Index>(count_ - 1, 1));
  return result;
}

}  // namespace atcav::pass
