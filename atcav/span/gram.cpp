#include "atcav/span/gram.h"

#include <algorithm>
#include <utility>

#include "atcav/base/parallel.h"
#include "atcav/span/product.h"

namespace atcav::span {
namespace {

template <typename T>
using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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
Matrix gram_tile(const std::vector<const float*>& rows, const Eigen::VectorXf& centre,
                 std::pair<Index, Index> a, std::pair<Index, Index> b) {
  Matrix sum = Matrix::Zero(a.second, b.second);
  Tile<T> piece(a.second, b.second);
  Tile<T> left;
  Tile<T> right;
  for (Index start = 0; start < centre.size(); start += kPieceColumns) {
    piece.setZero();
    const Index end = std::min(centre.size(), start + kPieceColumns);
    for (Index column = start; column < end; column += kProductColumns) {
      const Index width = std::min(kProductColumns, end - column);
      left.resize(a.second, width);
      load(left, rows, centre, a.first, column);
      if (a == b) {
        add_row_products(left, left, piece);
      } else {
        right.resize(b.second, width);
        load(right, rows, centre, b.first, column);
        add_row_products(left, right, piece);
      }
    }
    sum += piece.template cast<double>();
  }
  return sum;
}

}  // namespace

Matrix centred_gram(const std::vector<RowBlock>& sets, const Eigen::VectorXf& centre, bool exact,
                    int threads) {
  std::vector<const float*> rows;
  for (const RowBlock& set : sets) {
    for (Index i = 0; i < set.rows; ++i) rows.push_back(set.data + i * centre.size());
  }
  const Index n = static_cast<Index>(rows.size()) + 1;
  const Index step = tile_rows(n);
  std::vector<std::pair<Index, Index>> parts;
  for (Index first = 0; first < n; first += step) parts.emplace_back(first, std::min(step, n - first));
  std::vector<std::pair<Index, Index>> pairs;
  for (Index a = 0; a < static_cast<Index>(parts.size()); ++a) {
    for (Index b = 0; b <= a; ++b) pairs.emplace_back(a, b);
  }

  Matrix gram(n, n);
  parallel_for(static_cast<Index>(pairs.size()), threads, [&](Index i) {
    const auto a = parts[pairs[i].first];
    const auto b = parts[pairs[i].second];
    const Matrix tile = exact ? gram_tile<double>(rows, centre, a, b) : gram_tile<float>(rows, centre, a, b);
    gram.block(a.first, b.first, a.second, b.second) = tile;
    if (a != b) gram.block(b.first, a.first, b.second, a.second) = tile.transpose();
  });
  // A tile on the diagonal need not come out symmetric to the last bit.
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

}  // namespace atcav::span
