#include "pipeline/named_steps.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace atcav {
namespace {

constexpr double kMostNoise = 0.5;  // of a step's squared length

double noise_of_mean(const Matrix& rows) {
  const auto n = static_cast<double>(rows.rows());
  if (n < 2) return HUGE_VAL;
  return (rows.rowwise() - rows.colwise().mean()).squaredNorm() / (n - 1) / n;
}

}  // namespace

double cosine_between(const Vector& a, const Vector& b) {
  const double lengths = a.norm() * b.norm();
  return lengths > 0 ? std::clamp(a.dot(b) / lengths, -1.0, 1.0) : 0;
}

void NamedSteps::add(const std::string& name, const Matrix& rows, const Matrix& random) {
  const Eigen::RowVectorXd step = rows.colwise().mean() - random.colwise().mean();
  if (noise_of_mean(rows) + noise_of_mean(random) > kMostNoise * step.squaredNorm()) {
    noise.push_back(name);
    return;
  }
  names.push_back(name);
  steps.conservativeResize(std::ssize(names), step.size());
  steps.bottomRows(1) = step;
}

void NamedSteps::describe(Candidate& candidate, const Vector& direction) const {
  if (names.empty()) return;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const double cosine = cosine_between(direction, steps.row(static_cast<Index>(c)).transpose());
    if (candidate.nearest && cosine <= candidate.nearest_cosine) continue;
    candidate.nearest_cosine = cosine;
    candidate.nearest = names[c];
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> span(steps.transpose());
  const Vector within = steps.transpose() * span.solve(direction);
  candidate.explained =
      direction.norm() > 0 ? std::min(1.0, within.squaredNorm() / direction.squaredNorm()) : 0;
}

}  // namespace atcav
