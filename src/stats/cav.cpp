#include "atcav/cav.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"
#include "stats/shared_fits.h"

namespace atcav::stats {
namespace {

Vector mean_difference(const MatrixRef& rows, const VectorRef& labels, bool fast) {
  const double n2 = (labels.array() > 0).cast<double>().sum();
  const double n1 = static_cast<double>(labels.size()) - n2;
  const Vector weights = (labels.array() > 0).select(Vector::Constant(labels.size(), 1 / n2), -1 / n1);
  return (fast ? n1 / (n1 + n2) : 1.0) * (rows.transpose() * weights);
}

// By the solver that makes thousands of them (shared_fits.h).
Cav fitted(Matrix rows, const Vector& labels, const CavOptions& options) {
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(rows.cols());
  if (options.has_intercept()) mean = centre(rows);
  const SharedFits fits(SharedFits::Seen::kRows, rows, labels, options, 1);
  const WeightedFit& full = fits.full();
  Cav cav{fits.factor(full.rows) * (rows.transpose() * full.at.coefficients), 0, full.converged};
  if (options.method != CavMethod::kRidge) cav.intercept = full.at.intercept - mean.dot(cav.direction);
  return cav;
}

}  // namespace

CavMethod parse_cav_method(std::string_view text) {
  const auto found = std::ranges::find(kCavMethods, text);
  if (found == kCavMethods.end())
    fail_argument("parse_cav_method",
                  fmt::format("cav is '{}', must be one of {}", text, fmt::join(kCavMethods, ", ")));
  return static_cast<CavMethod>(found - kCavMethods.begin());
}

bool is_mean_difference(CavMethod method) {
  return method == CavMethod::kPattern || method == CavMethod::kFast;
}

Eigen::RowVectorXd centre(Matrix& rows) {
  const Eigen::RowVectorXd first = rows.row(0);
  rows.rowwise() -= first;
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  rows.rowwise() -= mean;
  return first + mean;
}

double ridge_penalty(double lambda, double trace) {
  constexpr double kLeast = 1e-11;
  return std::max(lambda, kLeast * trace);
}

double cost_in_reach(const CavOptions& options, const Vector& lengths) {
  constexpr double kLeast = 1e-8;
  constexpr double kLeastSvm = 0.1;  // exact as long as no row crosses its margin
  constexpr double kMostSvm = 1e9;
  const double most_moved = lengths.sum() * lengths.maxCoeff();
  if (!(most_moved > 0)) return options.cost;
  if (options.method != CavMethod::kSvm) return std::max(options.cost, kLeast / most_moved);
  return std::clamp(options.cost, kLeastSvm / most_moved, kMostSvm / lengths.cwiseAbs2().mean());
}

double unit_of(double mean_square) {
  return mean_square > 0 && std::isfinite(mean_square) ? std::exp2(std::ilogb(std::sqrt(mean_square))) : 1;
}

Cav fit_cav(const MatrixRef& random, const MatrixRef& concept_rows, const CavOptions& options) {
  check_same("fit_cav", "columns", "random", random.cols(), "concept", concept_rows.cols());
  check_at_least("fit_cav", "columns", random.cols(), 1);
  check_at_least("fit_cav", "random rows", random.rows(), 1);
  check_at_least("fit_cav", "concept rows", concept_rows.rows(), 1);
  Matrix rows(random.rows() + concept_rows.rows(), random.cols());
  rows << random, concept_rows;
  check_finite("fit_cav", "activation", rows);
  Vector labels = Vector::Ones(rows.rows());
  labels.head(random.rows()).setConstant(-1);
  switch (options.method) {
    case CavMethod::kPattern:
    case CavMethod::kFast:
      return {mean_difference(rows, labels, options.method == CavMethod::kFast)};
    case CavMethod::kRidge:
    case CavMethod::kLogistic:
    case CavMethod::kSvm:
      return fitted(std::move(rows), labels, options);
  }
  fail_argument("fit_cav", "unknown method");
}

}  // namespace atcav::stats
