#include "pipeline/placement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/layout.h"

namespace atcav {

Matrix SentDirections::products(const Rows& rows, int threads) const {
  if (!there_) there_ = session_.networks->first().hold(rows_);
  return there_->products(rows, threads);
}

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
  MatrixF steps = MatrixF::Zero(alike() ? 1 : activations_.rows(), activations_.columns());
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

MatrixF Placement::all_steps(const MatrixF& directions) const {
  MatrixF all;
  for (Index i = 0; i < directions.rows(); ++i) {
    const MatrixF placed = steps(directions.row(i).transpose());
    if (i == 0) all.resize(directions.rows() * placed.rows(), placed.cols());
    all.middleRows(i * placed.rows(), placed.rows()) = placed;
  }
  return all;
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

Matrix Placement::spread_sums(const Matrix& rows) const {
  if (whole()) return rows;
  Matrix pooled = Matrix::Zero(rows.rows(), channels_);
  for (Index row = 0; row < pooled.rows(); ++row) {
    for (Index c = 0; c < channels_; ++c) {
      if (pool_ != model::Pool::kMean) {
        pooled(row, c) = rows(row, at(c, chosen(row, c)));
        continue;
      }
      for (Index p = 0; p < positions_; ++p) {
        if (counts(row, p)) pooled(row, c) += rows(row, at(c, p));
      }
    }
  }
  return pooled;
}

Matrix Placement::pooled_products(const SentDirections& directions, int threads) const {
  return whole() ? directions.products(activations_, threads) : pooled() * directions.rows().transpose();
}

Matrix Placement::gradient_products(const Rows& gradients, const SentDirections& directions,
                                    int threads) const {
  return whole() ? directions.products(gradients, threads)
                 : pooled_gradients(gradients.host()) * directions.rows().transpose();
}

Eigen::RowVectorXd Placement::sum_of_gradients(const model::Model& network, const Rows& gradients,
                                               int threads) const {
  if (alike()) return spread_sums(network.sum(gradients, threads));
  return pooled_gradients(gradients.host()).colwise().sum();
}

// A fixed token is where it is, masked or not.
bool Placement::alike() const {
  if (whole()) return true;
  return pool_ != model::Pool::kMax &&
         (mask_.size() == 0 || (pool_.kind == model::Pool::Kind::kToken && pool_.token >= 0));
}

Index Placement::at(Index channel, Index position) const {
  return model::column_of(channel, position, channels_, positions_, channels_first_);
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
