#include "pipeline/score_laws.h"

#include <algorithm>
#include <cmath>

#include "atcav/score.h"

namespace atcav {
namespace {

// Edgeworth: at skewness g P(S > 0) is up to g φ(0)/6 off, at excess kurtosis k up to 0.023 k; beside that
// stands the error of B resamples.
bool is_normal(double skewness, double kurtosis, Index resamples) {
  constexpr double kMostSkewed = 0.5;  // 0.033
  constexpr double kMostPeaked = 1.5;  // 0.034
  const auto b = static_cast<double>(resamples);
  return skewness <= kMostSkewed + std::sqrt(6 / b) && std::abs(kurtosis) <= kMostPeaked + std::sqrt(24 / b);
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_number(const stats::ScoreRule& rule) {
  return rule.scale == stats::ScoreRule::Scale::kGamma && rule.per_input.size() == 0;
}

}  // namespace

std::string_view name(ProfileReading reading) {
  switch (reading) {
    case ProfileReading::kRobust:
      return "robust";
    case ProfileReading::kMarginal:
      return "marginal";
    case ProfileReading::kUndecided:
      return "undecided";
  }
  return "";
}

ScoreLaws score_laws(const Vector& s, const Vector& errors, const Matrix& refits, const Rules& rules) {
  ScoreLaws laws;
  for (const auto& [key, rule] : rules) laws.two_peaks[key] = stats::bimodal_share(s, errors, rule);
  std::vector<double> skewness;
  std::vector<double> kurtosis;
  // Sums over refits, one refit after another: rows are read as they lie.
  Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(refits.cols());
  Eigen::RowVectorXd squares = sums;
  for (Index k = 0; k < refits.rows(); ++k) {
    sums += refits.row(k);
    squares += refits.row(k).cwiseAbs2();
  }
  constexpr Index kRowsAtOnce = 32;
  Eigen::MatrixXd by_input(refits.rows(), refits.cols());
  for (Index first = 0; first < refits.rows(); first += kRowsAtOnce) {
    const Index rows = std::min(kRowsAtOnce, refits.rows() - first);
    by_input.middleRows(first, rows) = refits.middleRows(first, rows);
  }
  const auto count = static_cast<double>(refits.rows());
  for (Index j = 0; j < refits.cols(); ++j) {
    const Eigen::ArrayXd deviation = by_input.col(j).array() - sums(j) / count;
    const double variance = deviation.square().mean();
    // What does not vary but for rounding has no shape.
    if (!(variance > 1e-24 * squares(j))) continue;
    skewness.push_back(std::abs(deviation.cube().mean()) / std::pow(variance, 1.5));
    kurtosis.push_back(deviation.square().square().mean() / (variance * variance) - 3);
  }
  laws.skewness = median_of(std::move(skewness));
  laws.excess_kurtosis = median_of(std::move(kurtosis));
  laws.normal = is_normal(laws.skewness, laws.excess_kurtosis, refits.rows());
  return laws;
}

MultiTcav with_alpha_tcav(MultiTcav multi, const Matrix& runs, const Rules& rules) {
  for (Index k = 0; k < runs.rows(); ++k) multi.gamma += stats::root_mean_square(runs.row(k).transpose());
  multi.gamma /= static_cast<double>(runs.rows());
  for (const auto& [key, rule] : rules) {
    if (!is_number(rule)) continue;
    double sum = 0;
    for (Index k = 0; k < runs.rows(); ++k)
      sum += stats::alpha_tcav(runs.row(k).transpose(), rule.steepness, multi.gamma);
    multi.alpha_tcav[key] = sum / static_cast<double>(runs.rows());
  }
  return multi;
}

ProfileReading read_profile(const Result& result) {
  const std::vector<stats::Interval>& intervals = result.examples->profile_intervals;
  bool above = false;
  bool below = false;
  bool everywhere = true;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    above |= intervals[i].low > 0.5;
    below |= intervals[i].high < 0.5;
    const bool holds_half = intervals[i].low <= 0.5 && intervals[i].high >= 0.5;
    // The grid is of powers, so that its 1 may be off by rounding.
    if (result.profile.alpha[i] > 0.999) everywhere &= !holds_half;
  }
  if (above == below) return ProfileReading::kUndecided;
  return everywhere ? ProfileReading::kRobust : ProfileReading::kMarginal;
}

}  // namespace atcav
