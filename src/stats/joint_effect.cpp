#include "stats/joint_effect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/block_product.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

// 1 - R² of a label on those before it, below which it is one of their combinations.
constexpr double kCollinear = 1e-9;
constexpr double kLeastRoom = 1e-9;  // 1 - leverage
constexpr Index kStripeRows = 256;

// Rows centred and of length 1; their lengths.
Vector standardise(Matrix& labels, const std::vector<std::string>& names) {
  Vector lengths(labels.rows());
  for (Index k = 0; k < labels.rows(); ++k) {
    auto row = labels.row(k);
    const double size = row.cwiseAbs().maxCoeff();
    row.array() -= row.mean();
    lengths(k) = row.norm();
    if (lengths(k) <= 1e-12 * size * std::sqrt(static_cast<double>(labels.cols())))
      fail_argument("labels", fmt::format("'{}' is constant: there is nothing to compare", names[k]));
    row /= lengths(k);
  }
  return lengths;
}

[[noreturn]] void fail_collinear(const Matrix& lower, Index k, const std::vector<std::string>& names) {
  const auto before = lower.topLeftCorner(k, k).transpose().triangularView<Eigen::Upper>();
  const Vector combination = before.solve(lower.row(k).head(k).transpose());
  std::vector<std::string> others;
  for (Index i = 0; i < k; ++i) {
    if (std::abs(combination(i)) > 1e-6) others.push_back(fmt::format("'{}'", names[i]));
  }
  constexpr std::size_t kNamed = 4;
  const std::size_t more = others.size() > kNamed ? others.size() - kNamed : 0;
  others.resize(others.size() - more);
  fail_argument("labels",
                fmt::format("'{}' is determined by {}{}: leave one of them out", names[k],
                            fmt::join(others, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

// Cholesky's factor of the labels' correlations.
Matrix correlation_factor(const Matrix& labels, const std::vector<std::string>& names, int threads) {
  const Matrix correlations = row_products(labels, threads);
  const Eigen::LLT<Matrix> factor(correlations);
  Matrix lower = factor.matrixL();
  const auto q = lower.rows();
  const auto fine = [&](Index k) { return lower(k, k) * lower(k, k) > kCollinear; };
  Index good = 0;
  while (factor.info() == Eigen::Success && good < q && fine(good)) ++good;
  if (good == q) return lower;
  // Once more, row by row, up to the first that the others determine.
  lower.setZero();
  for (Index k = 0; k < q; ++k) {
    const auto before = lower.topLeftCorner(k, k).triangularView<Eigen::Lower>();
    if (k > 0) lower.row(k).head(k) = before.solve(correlations.row(k).head(k).transpose()).transpose();
    const double left = 1 - lower.row(k).head(k).squaredNorm();
    if (left <= kCollinear) fail_collinear(lower, k, names);
    lower(k, k) = std::sqrt(left);
  }
  return lower;
}

// body(first, count) for stripes of columns, on several threads.
template <typename Body>
void each_stripe(Index columns, int threads, Body body) {
  parallel_for((columns + kStripeRows - 1) / kStripeRows, threads, [&](Index stripe) {
    const Index first = stripe * kStripeRows;
    body(first, std::min(kStripeRows, columns - first));
  });
}

// As many different rows of labels as coefficients: cells, each with its own mean.
void find_cells(const MatrixRef& labels, LabelDesign& design) {
  const Index most = labels.cols() + 1;
  std::map<std::vector<double>, Index> known;
  std::vector<Index> cells;
  for (const auto& row : labels.rowwise()) {
    const auto [at, added] = known.emplace(std::vector<double>(row.begin(), row.end()), std::ssize(known));
    if (std::ssize(known) > most) return;
    cells.push_back(at->second);
  }
  design.cells = std::move(cells);
  design.cell_count = std::ssize(known);
}

std::vector<bool> decided_by_one(const LabelDesign& design) {
  constexpr double kRounding = 1e-9;
  std::vector<bool> decided(static_cast<std::size_t>(design.weights.rows()));
  for (Index i = 0; i < design.weights.cols(); ++i) {
    if (1 - design.leverages(i) > kLeastRoom) continue;
    for (Index k = 0; k < design.weights.rows(); ++k) {
      const double all = design.weights.row(k).squaredNorm();
      if (design.weights(k, i) * design.weights(k, i) > kRounding * all) decided[k] = true;
    }
  }
  return decided;
}

Matrix squared_over_room(const LabelDesign& design) {
  const auto room = (1 - design.leverages.array()).max(kLeastRoom);
  return (design.weights.array().square().rowwise() / room.transpose()).matrix();
}

// Σ_ij D_i D_j B_ij² for each label, B the hat matrix: of few labels from Q D Qᵀ, of many from tiles of B.
Vector traces(const LabelDesign& design, const Matrix& d, int threads) {
  const Index q = design.basis.rows();
  const Index n = design.basis.cols();
  Matrix basis(q + 1, n);
  basis << Matrix::Constant(1, n, 1 / std::sqrt(static_cast<double>(n))), design.basis;
  Vector found = Vector::Zero(q);
  if ((q + 1) * (q + 1) <= 2 * n) {
    parallel_for(q, threads, [&](Index k) {
      const Matrix scaled = basis.array().rowwise() * d.row(k).array();
      found(k) = (scaled * basis.transpose()).squaredNorm();
    });
    return found;
  }
  const Matrix weighted = d.transpose();  // N × q
  std::vector<Vector> parts(static_cast<std::size_t>((n + kStripeRows - 1) / kStripeRows));
  each_stripe(n, threads, [&](Index first, Index count) {
    Matrix hat = basis.middleCols(first, count).transpose() * basis;
    hat = hat.array().square();
    const Matrix along = hat * weighted;  // count × q
    parts[static_cast<std::size_t>(first / kStripeRows)] =
        (along.array() * weighted.middleRows(first, count).array()).colwise().sum().transpose();
  });
  for (const Vector& part : parts) found += part;
  return found;
}

Vector bell_mccaffrey(const LabelDesign& design, int threads) {
  const Matrix d = squared_over_room(design);
  const Vector trace = traces(design, d, threads);
  const Vector own = d.array().square().matrix() * (1 - 2 * design.leverages.array()).matrix();
  const Vector total = design.weights.rowwise().squaredNorm();
  return (total.array().square() / (own + trace).array()).max(1);
}

Vector group_degrees(const LabelDesign& design, const Groups& groups) {
  Vector degrees(design.weights.rows());
  for (Index k = 0; k < degrees.size(); ++k) {
    Vector parts = Vector::Zero(groups.count);
    for (Index i = 0; i < design.weights.cols(); ++i)
      parts(groups.of_row[i]) += design.weights(k, i) * design.weights(k, i);
    degrees(k) = std::max(1.0, parts.sum() * parts.sum() / parts.squaredNorm() - 1);
  }
  return degrees;
}

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

// Moments of z̄·x over the reference rows as the error of d needs them: skewness and kurtosis of influences,
// which are those of the rows where one 0/1 label divides them.
RandomSpread spread_of(const Vector& weights, const Vector& residuals, const MatrixRef& responses,
                       const std::vector<Index>& reference, const Groups& groups) {
  const auto m = static_cast<double>(responses.rows());
  const auto n = static_cast<double>(reference.size());
  Vector along(std::ssize(reference));
  for (Index r = 0; r < along.size(); ++r) along(r) = responses.col(reference[r]).sum() / m;
  RandomSpread spread;
  spread.count = along.size();
  const double mean = along.mean();
  along.array() -= mean;
  spread.variance = n > 1 ? along.squaredNorm() / (n - 1) : 0;
  const double second = along.squaredNorm() / n;
  constexpr double kRounding = 1e-6;  // products of equal rows differ by this against their mean
  if (std::sqrt(spread.variance) <= kRounding * std::abs(mean)) spread.variance = 0;
  if (spread.variance == 0) return spread;
  spread.slopes = Vector::Zero(responses.rows());
  for (Index r = 0; r < along.size(); ++r) spread.slopes += along(r) * responses.col(reference[r]);
  spread.slopes /= (n - 1) * spread.variance;
  Vector bends = Vector::Zero(residuals.size());
  for (Index r = 0; r < along.size(); ++r) bends(reference[r]) = along(r) * along(r) / second - 1;
  const Vector influences = weights.array() * residuals.array() / std::sqrt(second);
  const Vector bend = added_up(bends, groups);
  spread.skewness = -group_factor(groups) * added_up(influences, groups).dot(bend);
  spread.kurtosis = 1 + group_factor(groups) * bend.squaredNorm() / n;
  return spread;
}

}  // namespace

LabelDesign design_labels(const MatrixRef& labels, const std::vector<std::string>& names,
                          const Groups& groups, int threads) {
  check_at_least("labels", "number of labels", labels.cols(), 1);
  check_at_least("labels", "number of rows", labels.rows(), labels.cols() + 2);
  if (!groups.empty()) {
    check_same("labels", "rows", "the groups", std::ssize(groups.of_row), "the labels", labels.rows());
    check_at_least("labels", "number of groups", groups.count, 2);
  }
  LabelDesign design;
  design.basis = labels.transpose();
  const Vector lengths = standardise(design.basis, names);
  const Matrix lower = correlation_factor(design.basis, names, threads);
  const Index n = labels.rows();
  design.weights.resize(labels.cols(), n);
  each_stripe(n, threads, [&](Index first, Index count) {
    Matrix part = design.basis.middleCols(first, count);
    lower.triangularView<Eigen::Lower>().solveInPlace(part);
    design.basis.middleCols(first, count) = part;
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(part);
    design.weights.middleCols(first, count) = part.array().colwise() / lengths.array();
  });
  design.leverages = design.basis.colwise().squaredNorm().transpose().array() + 1 / static_cast<double>(n);
  design.inflation = design.weights.rowwise().squaredNorm().array() * lengths.array().square();
  design.decided_by_one = decided_by_one(design);
  if (!groups.empty()) {
    design.degrees = group_degrees(design, groups);
    return design;
  }
  find_cells(labels, design);
  if (design.cells.empty()) design.degrees = bell_mccaffrey(design, threads);
  return design;
}

Matrix label_residuals(const LabelDesign& design, const MatrixRef& responses) {
  Matrix left = responses.colwise() - responses.rowwise().mean();
  const Matrix along = left * design.basis.transpose();
  left.noalias() -= along * design.basis;
  return left;
}

Vector influence_weights(const LabelDesign& design, Index label) {
  return design.weights.row(label).transpose().array() /
         (1 - design.leverages.array()).max(kLeastRoom).sqrt();
}

double grouped_squares(const VectorRef& influences, const Groups& groups) {
  return group_factor(groups) * added_up(influences, groups).squaredNorm();
}

LabelEffect label_effect(const LabelDesign& design, Index label, const MatrixRef& responses,
                         const MatrixRef& residuals, const std::vector<Index>& reference,
                         const Groups& groups) {
  const Index m = responses.rows();
  const Vector weights = influence_weights(design, label);
  const auto variance = [&](const Vector& left) {
    return grouped_squares((weights.array() * left.array()).matrix(), groups);
  };
  LabelEffect effect;
  effect.sensitivities = responses * design.weights.row(label).transpose();
  effect.errors.resize(m);
  for (Index j = 0; j < m; ++j) effect.errors(j) = std::sqrt(variance(residuals.row(j).transpose()));
  const Vector mean = residuals.colwise().mean().transpose();
  if (design.cells.empty()) {
    effect.noise.examples = VariancePart{variance(mean), design.degrees(label)};
  } else {
    std::vector<bool> is_reference(static_cast<std::size_t>(responses.cols()));
    for (const Index row : reference) is_reference[row] = true;
    effect.noise = cell_noise(design, (weights.array() * mean.array()).matrix(), is_reference);
  }
  effect.spread = spread_of(design.weights.row(label).transpose(), mean, responses, reference, groups);
  return effect;
}

Matrix label_covariance(const LabelDesign& design, Index label, const MatrixRef& residuals,
                        const Groups& groups) {
  const Vector weights = influence_weights(design, label);
  Matrix influences = residuals.array().rowwise() * weights.transpose().array();
  if (!groups.empty()) {
    Matrix sums(influences.rows(), groups.count);
    for (Index j = 0; j < sums.rows(); ++j) sums.row(j) = added_up(influences.row(j).transpose(), groups);
    influences = std::move(sums);
  }
  return group_factor(groups) * row_products(influences, 1);
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
