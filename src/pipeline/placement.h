#pragma once

#include <memory>
#include <utility>

#include "pipeline/session.h"

// Where a pool looks at a layer: from channels to all of the layer's elements and back. Without positions,
// and without a pool, both are the same.
namespace atcav {

// Directions that activations and gradients are multiplied with, sent to where those are at the first
// question: answers may be in the cache, and then no network is opened.
class SentDirections {
 public:
  SentDirections(Session& session, Matrix rows) : session_(session), rows_(std::move(rows)) {}
  const Matrix& rows() const { return rows_; }
  Matrix products(const Rows& rows, int threads) const;

 private:
  Session& session_;
  Matrix rows_;
  mutable std::unique_ptr<const model::HeldDirections> there_;
};

class Placement {
 public:
  // `activations`: examples × d, not pooled, which must outlive this. `mask` as Model::token_mask gives it.
  Placement(const Rows& activations, const ProbedLayer& layer, model::Pool pool, MatrixF mask);

  // A step in pooled coordinates as a step of the whole layer: at every position that counts for mean, at its
  // token for cls, last and a number, at the largest position of each channel for max. One row, or one per
  // example where they differ.
  MatrixF steps(const Eigen::VectorXf& direction) const;
  // The same for several, below each other.
  MatrixF all_steps(const MatrixF& directions) const;
  // What pooling makes of the activations: examples × channels.
  Matrix pooled() const;
  // What pooling makes of gradients there (model::Pool): the adjoint of steps().
  Matrix pooled_gradients(const MatrixFRef& gradients) const { return spread_sums(gradients.cast<double>()); }
  // Both times directions: examples × directions. Threads change nothing.
  Matrix pooled_products(const SentDirections& directions, int threads) const;
  Matrix gradient_products(const Rows& gradients, const SentDirections& directions, int threads) const;
  // The sum of pooled_gradients over examples.
  Eigen::RowVectorXd sum_of_gradients(const model::Model& network, const Rows& gradients, int threads) const;

  bool whole() const { return channels_ == activations_.columns(); }

 private:
  // Whether a step is the same for all examples.
  bool alike() const;
  Matrix spread_sums(const Matrix& rows) const;
  Index at(Index channel, Index position) const;
  bool counts(Index row, Index position) const { return mask_.size() == 0 || mask_(row, position) != 0; }
  Index chosen(Index row, Index channel) const;

  const Rows& activations_;
  bool channels_first_;
  model::Pool pool_;
  MatrixF mask_;
  Index channels_;
  Index positions_;
};

}  // namespace atcav
