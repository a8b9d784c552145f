#include "stats/joint_effect.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/block_product.h"
#include "core/check.h"

namespace atcav::stats {
namespace {

Vector added_up(const Vector& values, const Groups& groups) {
  if (groups.empty()) return values;
  Vector sums = Vector::Zero(groups.count);
  for (Index i = 0; i < values.size(); ++i) sums(groups.of_row[i]) += values(i);
  return sums;
}

double group_factor(const Groups& groups) {
  if (groups.empty()) return 1;
  return static_cast<double>(groups.count) / static_cast<double>(groups.count - 1);
}

// By cells within and outside the reference, each with Welch's degrees.
MeanNoise cell_noise(const LabelDesign& design, const Vector& influences,
                     const std::vector<bool>& is_reference) {
  struct Cell {
    double rows = 0, variance = 0;
    bool reference = false;
  };
  std::vector<Cell> cells(static_cast<std::size_t>(design.cell_count));
  bool all = true;
  for (Index i = 0; i < influences.size(); ++i) {
    Cell& cell = cells[design.cells[i]];
    cell.rows += 1;
    cell.variance += influences(i) * influences(i);
    cell.reference = is_reference[i];
    all = all && is_reference[i];
  }
  const auto part = [&](bool reference) {
    VariancePart sum{0, 0};
    double squares = 0;
    double least = HUGE_VAL;
    for (const Cell& cell : cells) {
      if (cell.reference != reference) continue;
      const double degrees = std::max(1.0, cell.rows - 1);
      sum.variance += cell.variance;
      squares += cell.variance * cell.variance / degrees;
      least = std::min(least, degrees);
    }
    sum.degrees = squares > 0 ? sum.variance * sum.variance / squares : least;
    return sum;
  };
  if (all) return {{}, {}, part(true)};
  return {part(false), part(true), {}};
}

// Σ_r along_r · column of row r, each input's sum in the order of the rows.
Vector weighted_columns(const MatrixRef& responses, const Vector& along, const std::vector<Index>& rows) {
  constexpr Index kAtOnce = 8;  // inputs: sums that do not wait for each other
  Vector sums = Vector::Zero(responses.rows());
  for (Index first = 0; first < sums.size(); first += kAtOnce) {
    const Index count = std::min(kAtOnce, sums.size() - first);
    for (Index r = 0; r < along.size(); ++r) {
      const double* const column = responses.data() + first * responses.outerStride() + rows[r];
      for (Index j = 0; j < count; ++j) sums(first + j) += along(r) * column[j * responses.outerStride()];
    }
  }
  return sums;
}

}  // namespace

LabelResponses::LabelResponses(Matrix of_inputs) : values(std::move(of_inputs)) {
  along = values.row(0).transpose();
  for (Index j = 1; j < values.rows(); ++j) along += values.row(j).transpose();
  along /= static_cast<double>(values.rows());
}

LabelResiduals::LabelResiduals(Matrix of_inputs) : values(std::move(of_inputs)) {
  mean = values.colwise().mean().transpose();
}

ReferenceRows::ReferenceRows(const LabelResponses& responses, const std::vector<Index>& rows,
                             const Groups& groups)
    : chosen(static_cast<std::size_t>(responses.values.cols())) {
  for (const Index row : rows) chosen[row] = true;
  const auto n = static_cast<double>(rows.size());
  Vector along = responses.along(rows);
  spread.count = along.size();
  const double mean = along.mean();
  along.array() -= mean;
  spread.variance = n > 1 ? along.squaredNorm() / (n - 1) : 0;
  second = along.squaredNorm() / n;
  constexpr double kRounding = 1e-6;  // products of equal rows differ by this against their mean
  if (std::sqrt(spread.variance) <= kRounding * std::abs(mean)) spread.variance = 0;
  if (spread.variance == 0) return;
  spread.slopes = weighted_columns(responses.values, along, rows) / ((n - 1) * spread.variance);
  bends = Vector::Zero(responses.values.cols());
  for (Index r = 0; r < along.size(); ++r) bends(rows[r]) = along(r) * along(r) / second - 1;
  bends = added_up(bends, groups);
  spread.kurtosis = 1 + group_factor(groups) * bends.squaredNorm() / n;
}

LabelResiduals label_residuals(const LabelDesign& design, const MatrixRef& responses) {
  Matrix left = responses.colwise() - responses.rowwise().mean();
  const Matrix along = left * design.basis.transpose();
  left.noalias() -= along * design.basis;
  return LabelResiduals(std::move(left));
}

double grouped_squares(const VectorRef& influences, const Groups& groups) {
  return group_factor(groups) * added_up(influences, groups).squaredNorm();
}

LabelEffect label_effect(const LabelDesign& design, Index label, const LabelResponses& responses,
                         const LabelResiduals& residuals, const ReferenceRows& reference,
                         const Groups& groups) {
  const Index m = responses.values.rows();
  const Vector weights = influence_weights(design, label);
  const auto variance = [&](const auto& left) {
    return grouped_squares((weights.array() * left.array()).matrix(), groups);
  };
  LabelEffect effect;
  effect.sensitivities = responses.values * design.weights.row(label).transpose();
  effect.errors.resize(m);
  for (Index j = 0; j < m; ++j) effect.errors(j) = std::sqrt(variance(residuals.values.row(j).transpose()));
  if (design.cells.empty())
    effect.noise.examples = VariancePart{variance(residuals.mean), design.degrees(label)};
  else
    effect.noise = cell_noise(design, (weights.array() * residuals.mean.array()).matrix(), reference.chosen);
  effect.spread = reference.spread;
  if (effect.spread.variance > 0) {
    // Of influences, which are those of the rows where one 0/1 label divides them.
    const Vector influences =
        design.weights.row(label).transpose().array() * residuals.mean.array() / std::sqrt(reference.second);
    effect.spread.skewness = -group_factor(groups) * added_up(influences, groups).dot(reference.bends);
  }
  return effect;
}

Matrix label_covariance(const LabelDesign& design, Index label, const LabelResiduals& residuals,
                        const Groups& groups) {
  const Index m = residuals.values.rows();
  const Index n = residuals.values.cols();
  const Vector weights = influence_weights(design, label);
  if (!groups.empty()) {
    Matrix sums(m, groups.count);
    for (Index j = 0; j < m; ++j)
      sums.row(j) =
          added_up((residuals.values.row(j).transpose().array() * weights.array()).matrix(), groups);
    return group_factor(groups) * row_products(sums, 1);
  }
  // Some rows at a time: influences stay in the processor's cache.
  constexpr Index kRowsAtOnce = 128;
  Matrix products = Matrix::Zero(m, padded_width(m));
  Matrix influences(m, kRowsAtOnce);
  Matrix right = Matrix::Zero(kRowsAtOnce, products.cols());
  for (Index first = 0; first < n; first += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, n - first);
    if (count < kRowsAtOnce) influences.resize(m, count);
    influences = residuals.values.middleCols(first, count).array().rowwise() *
                 weights.segment(first, count).transpose().array();
    right.topLeftCorner(count, m) = influences.transpose();
    add_product(influences.data(), m, count, right.data(), right.cols(), products.data());
  }
  return products.leftCols(m);
}

Matrix grouped_inputs(const MatrixRef& responses, const Groups& groups) {
  check_same("labels", "inputs", "the groups", std::ssize(groups.of_row), "the responses", responses.rows());
  check_at_least("labels", "number of groups of inputs", groups.count, 2);
  const Eigen::RowVectorXd mean = responses.colwise().mean();
  Matrix sums = Matrix::Zero(groups.count, responses.cols());
  for (Index j = 0; j < responses.rows(); ++j) sums.row(groups.of_row[j]) += responses.row(j) - mean;
  sums *= static_cast<double>(groups.count) / static_cast<double>(responses.rows());
  return sums.rowwise() + mean;
}

}  // namespace atcav::stats
