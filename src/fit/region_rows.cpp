#include "fit/region_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/check.h"

namespace atcav::fit {
namespace {

Matrix squared_distances(const Matrix& products, const Vector& rows, const Vector& columns) {
  Matrix squares = -2 * products;
  squares.colwise() += rows;
  squares.rowwise() += columns.transpose();
  return squares.cwiseMax(0);
}

double median_distance(const Matrix& squares) {
  std::vector<double> pairs;
  pairs.reserve(static_cast<std::size_t>(squares.rows() * (squares.rows() - 1) / 2));
  for (Index i = 0; i < squares.rows(); ++i)
    for (Index l = 0; l < i; ++l) pairs.push_back(squares(i, l));
  const auto middle = pairs.begin() + std::ssize(pairs) / 2;
  std::ranges::nth_element(pairs, middle);
  if (*middle > 0) return std::sqrt(*middle);
  // More than half of the pairs are copies.
  const double mean = squares.mean();
  return mean > 0 ? std::sqrt(mean) : 1;
}

}  // namespace

RegionRows region_rows(const FitRows& linear, Index random, const InputPlaces* places) {
  RegionRows found;
  found.products = linear.by_products() ? linear.products : Matrix(linear.rows * linear.rows.transpose());
  const Index n = found.products.rows();
  const Vector lengths = found.products.diagonal();
  const Matrix squares = squared_distances(found.products, lengths, lengths);
  found.width = median_distance(squares);
  const double unit = found.width * found.width;
  found.rows.products = (-squares / unit).array().exp();
  found.rows.products.diagonal().setOnes();
  Vector means = Vector::Constant(n, 1 / static_cast<double>(n - random));
  means.head(random).setConstant(-1 / static_cast<double>(random));
  found.apart = std::sqrt(std::max(0.0, means.dot(found.products * means)));
  found.rows.projections = Matrix::Zero(0, n);
  if (places == nullptr) return found;
  check_same("region_rows", "columns", "products with inputs", places->products.cols(), "the test", n);
  found.inputs = places->products;
  found.at_inputs = (-squared_distances(places->products, places->squares, lengths) / unit).array().exp();
  Matrix way = linear.projections;  // z_j·(x_i - h_j)
  way.colwise() -= places->along;
  found.rows.projections = found.at_inputs.cwiseProduct(way) * (2 / unit);
  found.rows.lengths = linear.lengths * (std::sqrt(2.0) / found.width);
  return found;
}

// ∇g = 2/m² Σ γ_i k_i (x_i - h).
Vector RegionRows::slopes(const Vector& coefficients, const InputPlaces& places) const {
  const Matrix weights = at_inputs * coefficients.asDiagonal();
  const Vector sums = weights.rowwise().sum();
  const Vector squares = (weights * products).cwiseProduct(weights).rowwise().sum() -
                         2 * weights.cwiseProduct(inputs).rowwise().sum().cwiseProduct(sums) +
                         sums.cwiseAbs2().cwiseProduct(places.squares);
  return squares.cwiseMax(0).cwiseSqrt() * (2 / (width * width));
}

}  // namespace atcav::fit
