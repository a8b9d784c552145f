#include "atcav/span/reduction.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "atcav/base/check.h"
#include "atcav/stats/gram_factor.h"

namespace atcav::span {
namespace {

// What a long sum of float products is off by, and the most a diagonal may be raised (the bar is 1e-5).
constexpr double kFloatError = 0x1p-22;
constexpr double kMostRaised = 0x1p-18;

// The centre may be a thousand times longer than a centred row; at their length it cannot hide them
// from the factorisation's tolerance.
double centre_scale(const Matrix& gram) {
  const Index n = gram.rows() - 1;
  const double rows = gram.diagonal().head(n).mean();
  return rows > 0 && gram(n, n) > 0 ? std::sqrt(rows / gram(n, n)) : 1;
}

// Float errors can make a Gram matrix of dependent rows indefinite. A pivot lost to that would take its
// row's products with the gradients along, so the diagonal is raised until every row is a pivot.
stats::GramFactor factor_float_gram(const Matrix& gram, int threads) {
  const Index rows = (gram.diagonal().array() > 0).count();
  for (double raised = kFloatError;; raised *= 2) {
    Matrix safe = gram;
    safe.diagonal() *= 1 + raised;
    stats::GramFactor factor = stats::factor_gram(safe, threads);
    if (static_cast<Index>(factor.pivots.size()) == rows || raised >= kMostRaised) return factor;
  }
}

}  // namespace

Reduction reduce(const Pass& pass, const MatrixFRef& gradients, int threads) {
  check_same("reduce", "columns", "gradients", gradients.cols(), "the pass", pass.dimension);
  check_same("reduce", "rows", "gradients", gradients.rows(), "the pass", pass.centre_projection.size());
  Reduction reduction;
  reduction.first = {0};
  for (const SetPass& set : pass.sets) {
    reduction.first.push_back(reduction.first.back() + set.projections.columns());
  }
  if (pass.features) {
    reduction.features = pass.features->cast<double>();
    reduction.gradients = gradients.cast<double>();
    return reduction;
  }
  if (!pass.gram) fail_argument("reduce", "the pass has no Gram matrix, ask for it with options.gram");

  const Index n = reduction.first.back();
  // The rows of the factor are all centred rows and, last, the centre times `scale`.
  const double scale = centre_scale(*pass.gram);
  Matrix gram = *pass.gram;
  gram.row(n) *= scale;
  gram.col(n) *= scale;
  stats::GramFactor factor =
      pass.exact ? stats::factor_gram(gram, threads) : factor_float_gram(gram, threads);
  Matrix products(gradients.rows(), n + 1);
  for (std::size_t s = 0; s < pass.sets.size(); ++s) {
    const Matrix& values = pass.sets[s].projections.values;
    products.middleCols(reduction.first[s], values.cols()) = values;
  }
  products.col(n) = pass.centre_projection * scale;
  reduction.gradients = stats::coordinates(factor, products, threads);
  reduction.features = factor.rows.topRows(n).rowwise() + factor.rows.row(n) / scale;
  reduction.lower = factor.rows(factor.pivots, Eigen::all);
  reduction.pivots = std::move(factor.pivots);
  reduction.centre_scale = scale;
  return reduction;
}

Matrix expand(const Pass& pass, const Reduction& reduction, const MatrixRef& directions) {
  if (pass.features) return directions;
  if (!pass.gram || pass.rows.empty()) fail_argument("expand", "the pass has not kept the rows");
  const auto rank = static_cast<Index>(reduction.pivots.size());
  check_same("expand", "columns", "directions", directions.cols(), "the reduction", rank);
  // A direction w is Q w = X_pivotsᵀ (L⁻ᵀ w).
  const Eigen::MatrixXd at_pivots =
      reduction.lower.triangularView<Eigen::Lower>().transpose().solve(directions.transpose());
  const Index n = reduction.first.back();
  Matrix weights = Matrix::Zero(directions.rows(), n + 1);
  for (Index i = 0; i < rank; ++i) weights.col(reduction.pivots[i]) = at_pivots.row(i).transpose();

  Vector of_centre = weights.col(n) * reduction.centre_scale - weights.leftCols(n).rowwise().sum();
  Matrix expanded = of_centre * pass.centre.transpose();
  Index done = 0;
  for (const auto& set : pass.rows) {
    constexpr Index kRows = 16;
    for (Index first = 0; first < set->rows(); first += kRows) {
      MatrixF rows(std::min(kRows, set->rows() - first), pass.dimension);
      set->read(first, rows);
      expanded.noalias() += weights.middleCols(done, rows.rows()) * rows.cast<double>();
      done += rows.rows();
    }
  }
  return expanded;
}

}  // namespace atcav::span
