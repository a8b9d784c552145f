#include "pipeline/placement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"

namespace atcav {

Placement::Placement(const Rows& activations, const ProbedLayer& layer, model::Pool pool, MatrixF mask)
    : activations_(activations),
      channels_first_(layer.what.channels_first),
      pool_(pool),
      mask_(std::move(mask)),
      channels_(layer.columns),
      positions_(activations.columns() / channels_) {
  if (mask_.rows() != activations.rows() || mask_.cols() != positions_) mask_.resize(0, 0);
}

MatrixF Placement::steps(const Eigen::VectorXf& direction) const {
  if (whole()) return direction.transpose();
  const bool alike = pool_ == model::Pool::kMean && mask_.size() == 0;
  MatrixF steps = MatrixF::Zero(alike ? 1 : activations_.rows(), activations_.columns());
  for (Index row = 0; row < steps.rows(); ++row) {
    for (Index c = 0; c < channels_; ++c) {
      if (pool_ != model::Pool::kMean) {
        steps(row, at(c, chosen(row, c))) = direction(c);
        continue;
      }
      for (Index p = 0; p < positions_; ++p) {
        if (counts(row, p)) steps(row, at(c, p)) = direction(c);
      }
    }
  }
  return steps;
}

Matrix Placement::pooled() const {
  const auto values = activations_.host();
  if (whole()) return values.cast<double>();
  Matrix pooled(values.rows(), channels_);
  for (Index row = 0; row < pooled.rows(); ++row) {
    for (Index c = 0; c < channels_; ++c) {
      if (pool_ != model::Pool::kMean) {
        pooled(row, c) = values(row, at(c, chosen(row, c)));
        continue;
      }
      double sum = 0;
      Index count = 0;
      for (Index p = 0; p < positions_; ++p) {
        if (!counts(row, p)) continue;
        sum += values(row, at(c, p));
        ++count;
      }
      pooled(row, c) = count > 0 ? sum / static_cast<double>(count) : 0;
    }
  }
  return pooled;
}

Matrix Placement::pooled_gradients(const MatrixFRef& values) const {
  if (whole()) return values.cast<double>();
  Matrix pooled = Matrix::Zero(values.rows(), channels_);
  for (Index row = 0; row < pooled.rows(); ++row) {
    for (Index c = 0; c < channels_; ++c) {
      if (pool_ != model::Pool::kMean) {
        pooled(row, c) = values(row, at(c, chosen(row, c)));
        continue;
      }
      for (Index p = 0; p < positions_; ++p) {
        if (counts(row, p)) pooled(row, c) += values(row, at(c, p));
      }
    }
  }
  return pooled;
}

Matrix Placement::pooled_products(const Eigen::RowVectorXd& centre, const Matrix& directions,
                                  int threads) const {
  const Matrix own = whole() ? Matrix() : pooled();
  const auto values = activations_.host();
  Matrix products(values.rows(), directions.rows());
  parallel_for(products.rows(), threads, [&](Index row) {
    const Vector centred = (whole() ? values.row(row).cast<double>().eval() : own.row(row).eval()) - centre;
    products.row(row) = (directions * centred).transpose();
  });
  return products;
}

Matrix Placement::gradient_products(const MatrixFRef& values, const Matrix& directions, int threads) const {
  if (!whole()) return pooled_gradients(values) * directions.transpose();
  Matrix products(values.rows(), directions.rows());
  parallel_for(products.rows(), threads, [&](Index row) {
    const Vector gradient = values.row(row).cast<double>();
    products.row(row) = (directions * gradient).transpose();
  });
  return products;
}

Eigen::RowVectorXd Placement::sum_of_gradients(const MatrixFRef& values, int threads) const {
  if (!whole()) return pooled_gradients(values).colwise().sum();
  constexpr Index kStripe = 4096;
  const Index columns = values.cols();
  Eigen::RowVectorXd sum(columns);
  parallel_for((columns + kStripe - 1) / kStripe, threads, [&](Index stripe) {
    const Index begin = stripe * kStripe;
    const Index width = std::min(kStripe, columns - begin);
    const Matrix part = values.middleCols(begin, width).cast<double>();
    sum.segment(begin, width) = part.colwise().sum();
  });
  return sum;
}

Index Placement::at(Index channel, Index position) const {
  return channels_first_ ? channel * positions_ + position : position * channels_ + channel;
}

Index Placement::chosen(Index row, Index channel) const {
  if (pool_ != model::Pool::kMax && pool_.token >= 0) return pool_.token;
  Index best = pool_ == model::Pool::kMax ? 0 : positions_ - 1;
  float most = -HUGE_VALF;
  for (Index p = 0; p < positions_; ++p) {
    if (!counts(row, p)) continue;
    if (pool_ == model::Pool::kMax) {
      const float value = activations_.host()(row, at(channel, p));
      if (!(value > most)) continue;
      most = value;
    }
    best = p;  // for `last`: the last that counts
  }
  return best;
}

}  // namespace atcav
