#include "stats/nonnegative_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/check.h"
#include "core/parallel.h"
#include "stats/kmeans.h"

namespace atcav::stats {
namespace {

constexpr Index kWeightSweeps = 50;

// One sweep over the columns of `weights`, rows × parts, with products = X Fᵀ and gram = F Fᵀ.
void improve(Matrix& weights, const Matrix& products, const Matrix& gram) {
  for (Index k = 0; k < weights.cols(); ++k) {
    if (!(gram(k, k) > 0)) continue;
    const Vector gap = products.col(k) - weights * gram.col(k);
    weights.col(k) = (weights.col(k) + gap / gram(k, k)).cwiseMax(0);
  }
}

double squares_of(double total, const Matrix& weights, const Matrix& products, const Matrix& gram) {
  return total - 2 * weights.cwiseProduct(products).sum() +
         (weights.transpose() * weights).cwiseProduct(gram).sum();
}

// Factors of length 1, the one with the largest part of the rows first, without zero ones.
NonnegativeFactors in_order(Matrix weights, Matrix factors, double squares) {
  const Vector lengths = factors.rowwise().norm();
  for (Index k = 0; k < factors.rows(); ++k) {
    if (lengths(k) > 0) factors.row(k) /= lengths(k);
    weights.col(k) *= lengths(k);
  }
  const Vector sizes = weights.colwise().squaredNorm().transpose();
  std::vector<Index> order(static_cast<std::size_t>(factors.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return sizes(a) > sizes(b); });
  while (!order.empty() && !(sizes(order.back()) > 0)) order.pop_back();
  return {factors(order, Eigen::all), weights(Eigen::all, order), squares};
}

}  // namespace

NonnegativeFactors nonnegative_factors(const MatrixFRef& rows, const FactorOptions& options) {
  check_at_least("nonnegative_factors", "number of factors", options.factors, 1);
  const KMeans start = kmeans(
      rows,
      {.clusters = options.factors, .seed = options.seed, .key = options.key, .threads = options.threads});
  const double least = rows.minCoeff();
  if (least < 0)
    fail_argument("nonnegative_factors",
                  fmt::format("a value is {:.3g}, must be >= 0: after a ReLU activations are", least));
  const Matrix values = rows.cast<double>();
  const double total = values.squaredNorm();
  Matrix factors = start.centres;
  Matrix weights = nonnegative_weights(rows, factors);
  double squares = total;
  for (Index i = 0; i < options.iterations; ++i) {
    throw_if_stopped();
    Matrix turned = factors.transpose();
    improve(turned, values.transpose() * weights, weights.transpose() * weights);
    factors = turned.transpose();
    const Matrix products = values * factors.transpose();
    const Matrix gram = factors * factors.transpose();
    improve(weights, products, gram);
    const double now = squares_of(total, weights, products, gram);
    const bool settled = squares - now <= 1e-6 * total;
    squares = now;
    if (i > 0 && settled) break;
  }
  return in_order(std::move(weights), std::move(factors), std::max(0.0, squares));
}

Matrix nonnegative_weights(const MatrixFRef& rows, const Matrix& factors) {
  check_same("nonnegative_weights", "columns", "the rows", rows.cols(), "the factors", factors.cols());
  const Matrix products = rows.cast<double>() * factors.transpose();
  const Matrix gram = factors * factors.transpose();
  Matrix weights = Matrix::Zero(rows.rows(), factors.rows());
  for (Index sweep = 0; sweep < kWeightSweeps; ++sweep) improve(weights, products, gram);
  return weights;
}

}  // namespace atcav::stats
