#include "atcav/span/projector.h"

#include <algorithm>
#include <atomic>

#include "atcav/base/parallel.h"
#include "atcav/span/product.h"

namespace atcav::span {
namespace {

// A centred tile of this many rows and kProductColumns columns stays in the second-level cache.
constexpr Index kTileRows = 256;
// A stripe is this many columns, less where d is small so that there are stripes for several threads.
constexpr Index kStripeColumns = 4 * kProductColumns;

Index stripes_of(Index columns, Index stripe) { return (columns + stripe - 1) / stripe; }

}  // namespace

Projector::Projector(const MatrixFRef& gradients, const Eigen::VectorXf& centre, bool exact, int threads)
    : gradients_(gradients),
      centre_(centre),
      threads_(threads > 0 ? threads : available_threads()),
      stripe_columns_(gradients.cols() < 8 * kStripeColumns ? kProductColumns : kStripeColumns) {
  if (exact) workspace_ = Workspace<double>();
  const auto set_up = [&](auto& workspace) { workspace.tiles.resize(threads_); };
  std::visit(set_up, workspace_);
}

Matrix Projector::project(const MatrixFRef& rows, Index first, Eigen::Ref<Matrix> fold_sums) {
  return std::visit([&](auto& workspace) { return project_in(workspace, rows, first, fold_sums); },
                    workspace_);
}

template <typename T>
Matrix Projector::project_in(Workspace<T>& workspace, const MatrixFRef& rows, Index first,
                             Eigen::Ref<Matrix> fold_sums) const {
  const Index inputs = gradients_.rows();
  const Index stripes = stripes_of(gradients_.cols(), stripe_columns_);
  workspace.products.resize(stripes * inputs, rows.rows());
  std::atomic<Index> next{0};
  parallel_for(threads_, threads_, [&](Index worker) {
    for (Index stripe = next++; stripe < stripes; stripe = next++) {
      project_stripe(stripe, workspace.tiles[worker], workspace, rows, first, fold_sums);
    }
  });

  Matrix projections = Matrix::Zero(inputs, rows.rows());
  constexpr Index kInputs = 16;
  parallel_for((inputs + kInputs - 1) / kInputs, threads_, [&](Index part) {
    const Index begin = part * kInputs;
    const Index count = std::min(kInputs, inputs - begin);
    for (Index stripe = 0; stripe < stripes; ++stripe) {
      projections.middleRows(begin, count) +=
          workspace.products.middleRows(stripe * inputs + begin, count).template cast<double>();
    }
  });
  return projections;
}

template <typename T>
void Projector::project_stripe(Index stripe, typename Workspace<T>::Tile& tile, Workspace<T>& workspace,
                               const MatrixFRef& rows, Index first, Eigen::Ref<Matrix> fold_sums) const {
  const Index inputs = gradients_.rows();
  const Index folds = fold_sums.rows();
  const Index end = std::min(gradients_.cols(), (stripe + 1) * stripe_columns_);
  auto products = workspace.products.middleRows(stripe * inputs, inputs);
  products.setZero();
  for (Index row = 0; row < rows.rows(); row += kTileRows) {
    const Index count = std::min(kTileRows, rows.rows() - row);
    for (Index column = stripe * stripe_columns_; column < end; column += kProductColumns) {
      const Index width = std::min(kProductColumns, end - column);
      const auto centre = centre_.segment(column, width).template cast<T>().transpose();
      tile.resize(count, width);
      for (Index i = 0; i < count; ++i) {
        tile.row(i) = rows.row(row + i).segment(column, width).template cast<T>() - centre;
        fold_sums.row((first + row + i) % folds).segment(column, width) +=
            tile.row(i).template cast<double>();
      }
      add_product(gradients_.middleCols(column, width).template cast<T>(), tile,
                  products.middleCols(row, count));
    }
  }
}

}  // namespace atcav::span
