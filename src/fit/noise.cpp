#include "fit/noise.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "atcav/interval.h"
#include "core/check.h"

namespace atcav::fit {
namespace {

constexpr Index kMostGroups = 20;
constexpr Index kDrawings = 4;
constexpr Index kQuarterSplits = 16;
// Of the variance from halves and quarters: chosen on simulated problems, not derived
// (docs/theory/significance.md).
constexpr double kDegreesOfParts = 12;

// Rows whose products add up to the jackknife's covariance, the mean over the drawings.
Matrix jackknife_deviations(Matrix refits, Index drawings) {
  const Index groups = refits.rows() / drawings;
  const double weight = std::sqrt(static_cast<double>(groups - 1) / static_cast<double>(groups * drawings));
  for (Index k = 0; k < drawings; ++k) {
    auto own = refits.middleRows(k * groups, groups);
    const Eigen::RowVectorXd mean = own.colwise().mean();
    own = weight * (own.rowwise() - mean);
  }
  return refits;
}

// `quarters` may be empty.
Matrix part_deviations(const Matrix& halves, const Matrix& quarters) {
  Matrix deviations(kHalfSplits, halves.cols());
  for (Index k = 0; k < kHalfSplits; ++k) deviations.row(k) = halves.row(2 * k) - halves.row(2 * k + 1);
  deviations /= std::sqrt(2.0 * kHalfSplits);
  if (quarters.rows() == 0) return deviations;
  double variance = 0;
  for (Index k = 0; k < kQuarterSplits; ++k) {
    const auto own = quarters.middleRows(4 * k, 4);
    const Eigen::RowVectorXd mean = own.colwise().mean();
    variance += (own.rowwise() - mean).squaredNorm() / (3 * kQuarterSplits);
  }
  const double ratio = variance > 0 ? std::clamp(deviations.squaredNorm() / variance, 0.5, 1.0) : 1;
  return std::sqrt(ratio) * deviations;
}

}  // namespace

SharedRows::SharedRows(pass::Projections projections)
    : projections_(std::move(projections)), variance_(projections_.variance()) {}

const Matrix& SharedRows::covariances(Index first, Index count) const {
  const std::lock_guard lock(finding_);
  Matrix& found = covariances_[{first, count}];
  if (found.size() == 0) found = projections_.inputs(first, count).covariances();
  return found;
}

ClosedFormNoise::ClosedFormNoise(const pass::Projections& random, const pass::Projections& concept_set,
                                 bool fast)
    : ClosedFormNoise(std::make_shared<SharedRows>(random), concept_set, fast,
                      MeanRefitter(random, concept_set, fast).full()) {}

ClosedFormNoise::ClosedFormNoise(std::shared_ptr<const SharedRows> random, pass::Projections concept_set,
                                 bool fast, Vector full)
    : random_(std::move(random)), concept_(std::move(concept_set)), factor_(1), full_(std::move(full)) {
  const auto n1 = static_cast<double>(random_->projections().count());
  if (fast) factor_ = n1 / (n1 + static_cast<double>(concept_.count()));
}

Vector ClosedFormNoise::input_errors() const {
  const Vector variance = random_->variance() / static_cast<double>(random_->projections().count()) +
                          concept_.variance() / static_cast<double>(concept_.count());
  return factor_ * variance.cwiseSqrt();
}

double ClosedFormNoise::error_along(const VectorRef& weights) const {
  const pass::Projections& random = random_->projections();
  return factor_ * stats::two_sample_error(random.variance_along(weights), random.count(),
                                           concept_.variance_along(weights), concept_.count());
}

std::optional<ErrorParts> ClosedFormNoise::parts_along(const VectorRef& weights) const {
  const Vector scaled = factor_ * weights;
  return ErrorParts{random_->projections().variance_along(scaled), concept_.variance_along(scaled)};
}

Matrix ClosedFormNoise::covariance(Index first, Index count) const {
  return factor_ * factor_ *
         (random_->covariances(first, count) / static_cast<double>(random_->projections().count()) +
          concept_.inputs(first, count).covariances() / static_cast<double>(concept_.count()));
}

double ClosedFormNoise::score_error(const stats::ScoreRule& rule) const {
  return error_along(stats::score_gradient(full_, rule));
}

double ClosedFormNoise::extrapolated_error(const stats::ScoreRule& rule, const Matrix& halves) const {
  // An example moves T∞ by twice what it moves T, less what it moves the mean of the halves; the chance in
  // which halves were drawn comes on top, and halves come in complementary pairs.
  Vector mean = Vector::Zero(full_.size());
  Vector pairs = Vector::Zero(halves.rows() / 2);
  for (Index k = 0; k < halves.rows(); ++k) {
    mean += stats::score_gradient(halves.row(k).transpose(), rule) / static_cast<double>(halves.rows());
    pairs(k / 2) += stats::score(halves.row(k).transpose(), rule) / 2;
  }
  return std::hypot(error_along(2 * stats::score_gradient(full_, rule) - mean), stats::mean_error(pairs));
}

// The differences, against a set that is nothing but zeros.
PairedNoise::PairedNoise(const pass::Projections& random, const pass::Projections& concept_set, bool fast,
                         Vector full)
    : ClosedFormNoise(std::make_shared<SharedRows>(pass::Projections{
                          Matrix::Zero(random.inputs(), random.columns()), random.weights, {}}),
                      {concept_set.values - random.values, concept_set.weights, {}}, fast, std::move(full)),
      degrees_(std::max(1.0, static_cast<double>(random.count() - 1))) {}

std::optional<ErrorParts> PairedNoise::parts_along(const VectorRef& /*weights*/) const {
  return std::nullopt;
}

JackknifeNoise::JackknifeNoise(const Refitter& refitter, bool smooth, const ResamplingOptions& options)
    : smooth_(smooth) {
  const Index most = std::min(refitter.random_rows(), refitter.concept_rows());
  const Index groups = std::min(kMostGroups, most);
  std::vector<Drawing> drawings = {
      jackknife_drawing(refitter, groups, smooth ? kDrawings : 1, options),
      jackknife_half_drawing(refitter, groups, options),
  };
  if (!smooth) {
    drawings.push_back(half_drawing(refitter, kHalfSplits, options));
    if (most >= 4) drawings.push_back(quarter_drawing(refitter, kQuarterSplits, options));
  }
  std::vector<Matrix> found = refitter.refit_all(drawings, options.threads);
  runs_ = found[0].topRows(groups);
  halves_ = std::move(found[1]);
  deviations_ = smooth ? jackknife_deviations(std::move(found[0]), kDrawings)
                       : part_deviations(found[2], most >= 4 ? found[3] : Matrix());
}

Vector JackknifeNoise::input_errors() const {
  if (!smooth_) return deviations_.colwise().norm();
  Vector errors(runs_.cols());
  for (Index j = 0; j < errors.size(); ++j) errors(j) = jackknife_error(runs_.col(j));
  return errors;
}

double JackknifeNoise::degrees() const {
  const auto degrees = static_cast<double>(runs_.rows() - 1);
  return smooth_ ? degrees : std::min(degrees, kDegreesOfParts);
}

double JackknifeNoise::error_along(const VectorRef& weights) const { return (deviations_ * weights).norm(); }

Matrix JackknifeNoise::covariance(Index first, Index count) const {
  const auto own = deviations_.middleCols(first, count);
  return own.transpose() * own;
}

double JackknifeNoise::score_error(const stats::ScoreRule& rule) const {
  Vector scores(runs_.rows());
  for (Index g = 0; g < scores.size(); ++g) scores(g) = stats::score(runs_.row(g).transpose(), rule);
  return jackknife_error(scores);
}

double JackknifeNoise::extrapolated_error(const stats::ScoreRule& rule, const Matrix& /*halves*/) const {
  Vector scores(runs_.rows());
  for (Index g = 0; g < scores.size(); ++g) {
    double halves = 0;
    for (Index k = 0; k < 4; ++k) halves += stats::score(halves_.row(4 * g + k).transpose(), rule) / 4;
    scores(g) = 2 * stats::score(runs_.row(g).transpose(), rule) - halves;
  }
  return jackknife_error(scores);
}

double extrapolate(const VectorRef& full, const Matrix& halves, const stats::ScoreRule& rule) {
  check_at_least("extrapolate", "halves", halves.rows(), 1);
  double sum = 0;
  for (Index k = 0; k < halves.rows(); ++k) sum += stats::score(halves.row(k).transpose(), rule);
  return std::clamp(2 * stats::score(full, rule) - sum / static_cast<double>(halves.rows()), 0.0, 1.0);
}

}  // namespace atcav::fit
