#include "atcav/span/projector.h"

#include <algorithm>
#include <atomic>

#include "atcav/base/parallel.h"
#include "atcav/span/centring.h"
#include "atcav/span/product.h"

namespace atcav::span {
namespace {

// A centred tile stays in the second-level cache with its gradients. Not a power of two: rows of the tile
// would fall on each other there.
constexpr Index kTileRows = 96;
constexpr Index kTileColumns = 768;
// A stripe is this many columns, less where d is small so that there are stripes for several threads.
constexpr Index kStripeColumns = 4 * kTileColumns;

Index pieces(Index size, Index piece) { return (size + piece - 1) / piece; }

}  // namespace

Projector::Projector(const MatrixFRef& gradients, const Eigen::VectorXf& centre, bool exact, int threads)
    : gradients_(gradients.cols(), gradients.rows()),
      centre_(centre),
      threads_(threads > 0 ? threads : available_threads()),
      stripe_columns_(gradients.cols() < 8 * kStripeColumns ? kTileColumns : kStripeColumns) {
  parallel_for(pieces(gradients.cols(), kTileColumns), threads_, [&](Index piece) {
    const Index first = piece * kTileColumns;
    const Index count = std::min(kTileColumns, gradients.cols() - first);
    gradients_.middleRows(first, count) = gradients.middleCols(first, count).transpose();
  });
  if (exact) workspace_ = Workspace<double>();
  std::visit([&](auto& workspace) { workspace.workers.resize(threads_); }, workspace_);
}

Matrix Projector::project(const MatrixFRef& rows, Index first, Eigen::Ref<Matrix> fold_sums) {
  return std::visit([&](auto& workspace) { return project_in(workspace, rows, first, fold_sums); },
                    workspace_);
}

template <typename T>
Matrix Projector::project_in(Workspace<T>& workspace, const MatrixFRef& rows, Index first,
                             Eigen::Ref<Matrix> fold_sums) const {
  const Index stripes = pieces(gradients_.rows(), stripe_columns_);
  const Index count = rows.rows();
  workspace.products.resize(stripes * count, gradients_.cols());
  std::atomic<Index> next{0};
  parallel_for(threads_, threads_, [&](Index worker) {
    for (Index stripe = next++; stripe < stripes; stripe = next++) {
      project_stripe(stripe, workspace.workers[worker], workspace, rows, first, fold_sums);
    }
  });

  Matrix projections(gradients_.cols(), count);
  constexpr Index kRows = 16;
  parallel_for(pieces(count, kRows), threads_, [&](Index piece) {
    const Index begin = piece * kRows;
    const Index part = std::min(kRows, count - begin);
    Matrix sum = Matrix::Zero(part, gradients_.cols());
    for (Index stripe = 0; stripe < stripes; ++stripe) {
      sum += workspace.products.middleRows(stripe * count + begin, part).template cast<double>();
    }
    projections.middleCols(begin, part) = sum.transpose();
  });
  return projections;
}

template <typename T>
void Projector::project_stripe(Index stripe, Worker<T>& worker, Workspace<T>& workspace,
                               const MatrixFRef& rows, Index first, Eigen::Ref<Matrix> fold_sums) const {
  const Index folds = fold_sums.rows();
  const Index end = std::min(gradients_.rows(), (stripe + 1) * stripe_columns_);
  auto products = workspace.products.middleRows(stripe * rows.rows(), rows.rows());
  products.setZero();
  for (Index row = 0; row < rows.rows(); row += kTileRows) {
    const Index count = std::min(kTileRows, rows.rows() - row);
    for (Index column = stripe * stripe_columns_; column < end; column += kTileColumns) {
      const Index width = std::min(kTileColumns, end - column);
      worker.tile.resize(count, width);
      worker.sums.setZero(folds, width);
      centre_rows({rows.row(row).data() + column, count, width, rows.outerStride()}, centre_.data() + column,
                  first + row, folds, worker.tile.data(), worker.sums.data());
      fold_sums.middleCols(column, width) += worker.sums.template cast<double>();
      add_product(worker.tile, gradients_.middleRows(column, width).template cast<T>(),
                  products.middleRows(row, count));
    }
  }
}

}  // namespace atcav::span
