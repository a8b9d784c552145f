#include "pass/pass_products.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/cpu_clones.h"
#include "core/parallel.h"
#include "pass/product.h"

namespace atcav::pass {
namespace {

// A centred tile stays in the second-level cache with its gradients. Not a power of two: rows of the tile
// would fall on each other there.
constexpr Index kTileRows = 96;
constexpr Index kTileColumns = 768;
// A stripe is this many columns, less where d is small so that there are stripes for several threads.
constexpr Index kStripeColumns = 4 * kTileColumns;

Index pieces(Index size, Index piece) { return (size + piece - 1) / piece; }

ATCAV_CPU_CLONES
void centre_row(const float* row, const float* centre, Index width, float* tile, float* sums) {
  for (Index j = 0; j < width; ++j) {
    tile[j] = row[j] - centre[j];
    sums[j] += tile[j];
  }
}

void centre_row(const float* row, const float* centre, Index width, double* tile, double* sums) {
  for (Index j = 0; j < width; ++j) {
    tile[j] = static_cast<double>(row[j]) - static_cast<double>(centre[j]);
    sums[j] += tile[j];
  }
}

// The rows of a batch lie far apart, and what follows the last column of a piece is not what is needed next.
void fetch_soon(const float* row, Index width) {
  constexpr Index kLine = 64 / sizeof(float);
  for (Index j = 0; j < width; j += kLine) __builtin_prefetch(row + j);
}

// The tile becomes x_i - c, which is also added to row (first + i) mod k of sums.
template <typename T>
void centre_rows(const MatrixFRef& rows, const float* centre, Index first, Tile<T>& tile, Tile<T>& sums) {
  constexpr Index kAhead = 2;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (i + kAhead < rows.rows()) fetch_soon(rows.row(i + kAhead).data(), rows.cols());
    centre_row(rows.row(i).data(), centre, rows.cols(), tile.row(i).data(),
               sums.row((first + i) % sums.rows()).data());
  }
}

// Products of this many columns are added up in T before they go to double.
constexpr Index kPieceColumns = 4 * kProductColumns;

// Rows of a square tile of K: few enough for several threads, many enough to read each row seldom.
Index tile_rows(Index n) { return std::clamp<Index>((n / 8 + 15) / 16 * 16, 32, 384); }

// Centred rows first … of all sets, columns column …; one past the last row is the centre itself.
template <typename T>
void load(Tile<T>& tile, const std::vector<const float*>& rows, const Eigen::VectorXf& centre, Index first,
          Index column) {
  const auto c = centre.segment(column, tile.cols()).template cast<T>().transpose();
  for (Index i = 0; i < tile.rows(); ++i) {
    if (first + i == static_cast<Index>(rows.size())) {
      tile.row(i) = c;
    } else {
      const Eigen::Map<const Eigen::RowVectorXf> row(rows[first + i] + column, tile.cols());
      tile.row(i) = row.cast<T>() - c;
    }
  }
}

template <typename T>
Matrix products_of(const GramTile& tile, const std::vector<const float*>& rows,
                   const Eigen::VectorXf& centre) {
  Matrix sum = Matrix::Zero(tile.rows, tile.columns);
  Tile<T> piece(tile.rows, tile.columns);
  Tile<T> left;
  Tile<T> right;
  for (Index start = 0; start < centre.size(); start += kPieceColumns) {
    piece.setZero();
    const Index end = std::min(centre.size(), start + kPieceColumns);
    for (Index column = start; column < end; column += kProductColumns) {
      const Index width = std::min(kProductColumns, end - column);
      left.resize(tile.rows, width);
      load(left, rows, centre, tile.row, column);
      if (tile.row == tile.column) {
        add_row_products(left, left, piece);
      } else {
        right.resize(tile.columns, width);
        load(right, rows, centre, tile.column, column);
        add_row_products(left, right, piece);
      }
    }
    sum += piece.template cast<double>();
  }
  return sum;
}

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

Matrix Projector::project(const MatrixFRef& rows, Index first, CarriedSums& fold_sums) {
  return std::visit([&](auto& workspace) { return project_in(workspace, rows, first, fold_sums); },
                    workspace_);
}

template <typename T>
Matrix Projector::project_in(Workspace<T>& workspace, const MatrixFRef& rows, Index first,
                             CarriedSums& fold_sums) const {
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
                               const MatrixFRef& rows, Index first, CarriedSums& fold_sums) const {
  const Index end = std::min(gradients_.rows(), (stripe + 1) * stripe_columns_);
  auto products = workspace.products.middleRows(stripe * rows.rows(), rows.rows());
  products.setZero();
  for (Index row = 0; row < rows.rows(); row += kTileRows) {
    const Index count = std::min(kTileRows, rows.rows() - row);
    for (Index column = stripe * stripe_columns_; column < end; column += kTileColumns) {
      const Index width = std::min(kTileColumns, end - column);
      worker.tile.resize(count, width);
      worker.sums.resize(fold_sums.rows(), width);
      worker.sums.setZero();
      centre_rows(rows.block(row, column, count, width), centre_.data() + column, first + row, worker.tile,
                  worker.sums);
      fold_sums.add(column, worker.sums);
      add_product(worker.tile, gradients_.middleRows(column, width).template cast<T>(),
                  products.middleRows(row, count));
    }
  }
}

Vector fold_products(const std::function<void(Index first, Eigen::Ref<MatrixF> rows)>& read,
                     const std::vector<Index>& rows, const Eigen::VectorXf& centre, const Matrix& directions,
                     int threads) {
  constexpr Index kReadAtOnce = Index{1} << 20;  // numbers
  const Eigen::RowVectorXd c = centre.cast<double>().transpose();
  const Index count = std::ssize(rows);
  Vector products(count);
  // Several at a time, which a device gives in hardly more time than one, into room that is there already.
  const Index step = std::clamp<Index>(kReadAtOnce / centre.size(), 1, 64);
  const Index workers = std::min<Index>(threads > 0 ? threads : available_threads(), pieces(count, step));
  parallel_for(workers, threads, [&](Index worker) {
    MatrixF room(step, centre.size());
    for (Index first = worker * step; first < count; first += workers * step) {
      auto block = room.topRows(std::min(step, count - first));
      read(first, block);
      for (Index i = 0; i < block.rows(); ++i) {
        const Index fold = rows[first + i] % directions.rows();
        products(first + i) = (block.row(i).cast<double>() - c).dot(directions.row(fold));
      }
    }
  });
  return products;
}

std::vector<GramTile> gram_tiles(Index n) {
  const Index step = tile_rows(n);
  std::vector<GramTile> tiles;
  for (Index row = 0; row < n; row += step) {
    for (Index column = 0; column <= row; column += step)
      tiles.push_back({row, std::min(step, n - row), column, std::min(step, n - column)});
  }
  return tiles;
}

Matrix centred_gram_part(const std::vector<RowBlock>& sets, const Eigen::VectorXf& centre, bool exact,
                         int threads, Index part, Index parts) {
  std::vector<const float*> rows;
  for (const RowBlock& set : sets) {
    for (Index i = 0; i < set.rows; ++i) rows.push_back(set.data + i * centre.size());
  }
  const Index n = static_cast<Index>(rows.size()) + 1;
  const std::vector<GramTile> tiles = gram_tiles(n);
  Matrix gram = Matrix::Zero(n, n);
  const Index own = pieces(static_cast<Index>(tiles.size()) - part, parts);
  parallel_for(std::max<Index>(own, 0), threads, [&](Index i) {
    const GramTile& tile = tiles[static_cast<std::size_t>(part + i * parts)];
    gram.block(tile.row, tile.column, tile.rows, tile.columns) =
        exact ? products_of<double>(tile, rows, centre) : products_of<float>(tile, rows, centre);
  });
  return gram;
}

// A tile on the diagonal need not come out symmetric to the last bit.
void mirror(Matrix& gram) { gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose(); }

Matrix centred_gram(const std::vector<RowBlock>& sets, const Eigen::VectorXf& centre, bool exact,
                    int threads) {
  Matrix gram = centred_gram_part(sets, centre, exact, threads, 0, 1);
  mirror(gram);
  return gram;
}

}  // namespace atcav::pass
