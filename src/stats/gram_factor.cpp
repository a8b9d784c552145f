#include "stats/gram_factor.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/block_product.h"
#include "core/check.h"

namespace atcav::stats {
namespace {

constexpr Index kColumnsAtOnce = 64;  // columns taken out at a time

// left -= panel · panelᵀ in these rows and columns.
void take_out(const Matrix& panel, const std::vector<Index>& open, Matrix& left) {
  constexpr Index kWidth = 32;
  const Matrix rows = panel(open, Eigen::all);
  Matrix product;
  for (Index first = 0; first < rows.rows(); first += kWidth) {
    const Index count = std::min(kWidth, rows.rows() - first);
    Matrix right = Matrix::Zero(rows.cols(), kWidth);
    right.leftCols(count) = rows.middleRows(first, count).transpose();
    multiply_block(rows, right, product);
    // Rows of the symmetric matrix, each whole.
    for (Index j = 0; j < count; ++j) {
      double* row = left.row(open[static_cast<std::size_t>(first + j)]).data();
      for (Index i = 0; i < rows.rows(); ++i) row[open[static_cast<std::size_t>(i)]] -= product(i, j);
    }
  }
}

}  // namespace

GramFactor factor_gram(Matrix gram) {
  check_same("factor_gram", "rows", "gram", gram.rows(), "its transpose", gram.cols());
  const Index n = gram.rows();
  Vector residual = gram.diagonal();
  const double floor =
      n == 0 ? 0 : static_cast<double>(n) * std::numeric_limits<double>::epsilon() * residual.maxCoeff();
  Matrix columns(n, n);
  std::vector<Index> pivots;
  std::vector<Index> open(static_cast<std::size_t>(n));  // rows that are no pivots yet
  std::iota(open.begin(), open.end(), 0);
  while (!open.empty()) {
    const Index start = std::ssize(pivots);
    for (Index width = 0; width < kColumnsAtOnce && !open.empty(); ++width) {
      Index pivot = 0;
      const double largest = residual.maxCoeff(&pivot);
      if (!(largest > floor)) {
        open.clear();
        break;
      }
      Vector column = gram.row(pivot).transpose();
      column.noalias() -=
          columns.middleCols(start, width) * columns.row(pivot).segment(start, width).transpose();
      column /= std::sqrt(largest);
      column(pivot) = std::sqrt(largest);
      for (const Index used : pivots) column(used) = 0;
      residual.array() -= column.array().square();
      residual(pivot) = 0;
      columns.col(start + width) = column;
      pivots.push_back(pivot);
      std::erase(open, pivot);
    }
    if (!open.empty()) take_out(columns.middleCols(start, kColumnsAtOnce), open, gram);
  }
  return {columns.leftCols(std::ssize(pivots)), std::move(pivots)};
}

Matrix coordinates(const GramFactor& factor, const MatrixRef& products) {
  check_same("coordinates", "columns", "products", products.cols(), "the factor (rows)", factor.rows.rows());
  const Eigen::MatrixXd lower = factor.rows(factor.pivots, Eigen::all);
  const Eigen::MatrixXd at_pivots = products(Eigen::all, factor.pivots).transpose();
  return lower.triangularView<Eigen::Lower>().solve(at_pivots).transpose();
}

}  // namespace atcav::stats
