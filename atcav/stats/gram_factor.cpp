#include "atcav/stats/gram_factor.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "atcav/base/block_product.h"
#include "atcav/base/check.h"
#include "atcav/base/crew.h"
#include "atcav/base/parallel.h"

namespace atcav::stats {

namespace {

constexpr Index kColumnsAtOnce = 64;  // columns taken out at a time
constexpr Index kRowsAtOnce = 512;    // rows of a column for one thread

// left -= panel · panelᵀ in the rows and columns that are no pivots yet.
void take_out(const Matrix& panel, const std::vector<Index>& open, Matrix& left, Crew& crew) {
  constexpr Index kWidth = 32;
  const Matrix rows = panel(open, Eigen::all);
  const Index n = rows.rows();
  crew.each((n + kWidth - 1) / kWidth, [&](Index block) {
    const Index first = block * kWidth;
    const Index count = std::min(kWidth, n - first);
    Matrix right = Matrix::Zero(kColumnsAtOnce, kWidth);
    right.leftCols(count) = rows.middleRows(first, count).transpose();
    Matrix product;
    multiply_block(rows, right, product);
    // Rows of the symmetric matrix, each whole.
    for (Index j = 0; j < count; ++j) {
      double* row = left.row(open[static_cast<std::size_t>(first + j)]).data();
      for (Index i = 0; i < n; ++i) row[open[static_cast<std::size_t>(i)]] -= product(i, j);
    }
  });
}

GramFactor factor_with(Crew& crew, Matrix left) {
  const Index n = left.rows();
  Vector residual = left.diagonal();
  const double floor =
      n == 0 ? 0 : static_cast<double>(n) * std::numeric_limits<double>::epsilon() * residual.maxCoeff();
  Matrix columns(n, n);
  GramFactor factor;
  std::vector<bool> is_pivot(static_cast<std::size_t>(n), false);
  bool more = n > 0;
  while (more) {
    const auto start = static_cast<Index>(factor.pivots.size());
    Matrix panel = Matrix::Zero(n, kColumnsAtOnce);
    Index width = 0;
    for (; more && width < std::min(kColumnsAtOnce, n - start); ++width) {
      Index pivot = 0;
      const double largest = residual.maxCoeff(&pivot);
      more = largest > floor;
      if (!more) break;
      Vector column = left.row(pivot).transpose();
      crew.each((n + kRowsAtOnce - 1) / kRowsAtOnce, [&](Index block) {
        const Index first = block * kRowsAtOnce;
        const Index count = std::min(kRowsAtOnce, n - first);
        column.segment(first, count).noalias() -=
            panel.middleRows(first, count).leftCols(width) * panel.row(pivot).head(width).transpose();
      });
      column /= std::sqrt(largest);
      column(pivot) = std::sqrt(largest);
      for (const Index used : factor.pivots) column(used) = 0;
      residual.array() -= column.array().square();
      residual(pivot) = 0;
      panel.col(width) = column;
      factor.pivots.push_back(pivot);
      is_pivot[static_cast<std::size_t>(pivot)] = true;
    }
    columns.middleCols(start, width) = panel.leftCols(width);
    more = more && start + width < n;
    if (!more) break;
    std::vector<Index> open;
    for (Index i = 0; i < n; ++i) {
      if (!is_pivot[static_cast<std::size_t>(i)]) open.push_back(i);
    }
    take_out(panel, open, left, crew);
  }
  columns.conservativeResize(Eigen::NoChange, static_cast<Index>(factor.pivots.size()));
  factor.rows = std::move(columns);
  return factor;
}

}  // namespace

GramFactor factor_gram(Matrix gram, int threads) {
  check_same("factor_gram", "rows", "gram", gram.rows(), "its transpose", gram.cols());
  GramFactor factor;
  with_crew(gram.rows() > kRowsAtOnce ? threads : 1,
            [&](Crew& crew) { factor = factor_with(crew, std::move(gram)); });
  return factor;
}

Matrix coordinates(const GramFactor& factor, const MatrixRef& products, int threads) {
  constexpr Index kVectors = 16;
  check_same("coordinates", "columns", "products", products.cols(), "the factor (rows)", factor.rows.rows());
  const Eigen::MatrixXd lower = factor.rows(factor.pivots, Eigen::all);
  Matrix found(products.rows(), lower.cols());
  parallel_for((products.rows() + kVectors - 1) / kVectors, threads, [&](Index block) {
    const Index first = block * kVectors;
    const Index count = std::min(kVectors, products.rows() - first);
    const Eigen::MatrixXd at_pivots =
        products.middleRows(first, count)(Eigen::all, factor.pivots).transpose();
    found.middleRows(first, count) = lower.triangularView<Eigen::Lower>().solve(at_pivots).transpose();
  });
  return found;
}

}  // namespace atcav::stats
