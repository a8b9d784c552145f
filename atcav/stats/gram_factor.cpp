#include "atcav/stats/gram_factor.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "atcav/base/check.h"

namespace atcav::stats {

GramFactor factor_gram(const MatrixRef& gram) {
  check_same("factor_gram", "rows", "gram", gram.rows(), "its transpose", gram.cols());
  const Index n = gram.rows();
  Vector residual = gram.diagonal();
  const double floor =
      n == 0 ? 0 : static_cast<double>(n) * std::numeric_limits<double>::epsilon() * residual.maxCoeff();
  Eigen::MatrixXd columns(n, n);  // by columns: each step reads and writes whole columns
  GramFactor factor;
  for (Index rank = 0; rank < n; ++rank) {
    Index pivot = 0;
    const double largest = residual.maxCoeff(&pivot);
    if (!(largest > floor)) break;
    Vector column = gram.col(pivot);
    column.noalias() -= columns.leftCols(rank) * columns.row(pivot).leftCols(rank).transpose();
    column /= std::sqrt(largest);
    column(pivot) = std::sqrt(largest);
    for (const Index used : factor.pivots) column(used) = 0;
    residual.array() -= column.array().square();
    residual(pivot) = 0;
    columns.col(rank) = column;
    factor.pivots.push_back(pivot);
  }
  factor.rows = columns.leftCols(static_cast<Index>(factor.pivots.size()));
  return factor;
}

Matrix coordinates(const GramFactor& factor, const MatrixRef& products) {
  check_same("coordinates", "columns", "products", products.cols(), "the factor (rows)", factor.rows.rows());
  const Eigen::MatrixXd lower = factor.rows(factor.pivots, Eigen::all);
  const Eigen::MatrixXd at_pivots = products(Eigen::all, factor.pivots).transpose();
  return lower.triangularView<Eigen::Lower>().solve(at_pivots).transpose();
}

}  // namespace atcav::stats
