#include "stats/svm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "stats/direct_system.h"
#include "stats/loss.h"

namespace atcav::stats {
namespace {

constexpr int kMostSvmSteps = 100;
constexpr double kAimed = 1e-13;  // what double allows on easy problems; on others steps stop gaining before
constexpr double kConverged = 1e-6;
constexpr double kLost = 100;
constexpr double kNoStep = 1e-6;
constexpr double kToTheWall = 0.995;  // share of the way to the boundary that a step may go
constexpr double kLeastSvmCost =
    1e3;  // times the mean squared length of a row, down to which a cost is lowered
constexpr double kSmallerCost = 100;
constexpr double kSvmSameLoss = 1e-9;
constexpr double kSvmRounding = 1e-15;  // of |w|² over the square of what its rows add up to

struct Point {
  Vector alpha, room;    // α and C - α
  Vector lower, upper;   // multipliers of α ≥ 0 and α ≤ C
  double intercept = 0;  // multiplier of y·α = 0

  double gap() const { return alpha.dot(lower) + room.dot(upper); }
};

double longest_step(const Vector& value, const Vector& change) {
  double length = 1;
  for (Index i = 0; i < value.size(); ++i) {
    if (change(i) < 0) length = std::min(length, -value(i) / change(i));
  }
  return length;
}

double longest_step(const Point& at, const Point& step) {
  return std::min({longest_step(at.alpha, step.alpha), longest_step(at.room, step.room),
                   longest_step(at.lower, step.lower), longest_step(at.upper, step.upper)});
}

Point moved(const Point& at, const Point& step, double length) {
  return {at.alpha + length * step.alpha, at.room + length * step.room, at.lower + length * step.lower,
          at.upper + length * step.upper, at.intercept + length * step.intercept};
}

class Solver {
 public:
  // Rows of weight ω > 0.
  Solver(const Kernel& kernel, const std::vector<Index>& chosen, Vector labels, const Vector& costs)
      : y_(std::move(labels)), system_(kernel, chosen) {
    // Feasible from the start: y·α = 0, and multipliers that make up for the gradient, with room to spare.
    const Vector positive = (y_.array() > 0).select(costs, 0);
    const double sums[] = {positive.sum(), costs.sum() - positive.sum()};
    const double share = 0.5 * std::min(sums[0], sums[1]);
    at_.alpha = costs.cwiseProduct(
        (y_.array() > 0).select(Vector::Constant(y_.size(), share / sums[0]), share / sums[1]));
    at_.room = costs - at_.alpha;
    const Vector gradient = times(at_.alpha).array() - 1;
    const double spare = gradient.cwiseAbs().maxCoeff();
    at_.lower = gradient.cwiseMax(0).array() + spare;
    at_.upper = (-gradient).cwiseMax(0).array() + spare;
  }

  const Point& at() const { return at_; }

  // How far margins are from what the multipliers say, and the gap between primal and dual over the dual.
  double violation() const {
    const double size = std::max(at_.alpha.sum(), std::numeric_limits<double>::min());
    return std::max({at_.gap() / size, std::abs(y_.dot(at_.alpha)) / size, residual().cwiseAbs().maxCoeff()});
  }
  // Where the cost is small the dual is far larger than |w|², which is what the gap is to be small beside.
  bool aimed() const {
    return violation() <= kAimed && at_.gap() <= kAimed * at_.alpha.dot(times(at_.alpha));
  }

  // One predictor and corrector; false when it no longer gets anywhere.
  bool step() {
    const Vector off = residual();
    system_.set_diagonal(at_.lower.cwiseQuotient(at_.alpha) + at_.upper.cwiseQuotient(at_.room));
    const Vector along = solve(y_);
    // `low` and `high`: by how much α·lower and room·upper are to change.
    const auto newton = [&](const Vector& low, const Vector& high) {
      const Vector free = solve(low.cwiseQuotient(at_.alpha) - high.cwiseQuotient(at_.room) - off);
      Point change;
      change.intercept = (y_.dot(free) + y_.dot(at_.alpha)) / y_.dot(along);
      change.alpha = free - change.intercept * along;
      change.room = -change.alpha;
      change.lower = (low - at_.lower.cwiseProduct(change.alpha)).cwiseQuotient(at_.alpha);
      change.upper = (high - at_.upper.cwiseProduct(change.room)).cwiseQuotient(at_.room);
      return change;
    };
    const Vector low = at_.alpha.cwiseProduct(at_.lower);
    const Vector high = at_.room.cwiseProduct(at_.upper);
    const Point predictor = newton(-low, -high);
    const double reached = moved(at_, predictor, longest_step(at_, predictor)).gap() / at_.gap();
    const double target = std::pow(reached, 3) * at_.gap() / (2 * static_cast<double>(y_.size()));
    const Point change = newton(target - low.array() - predictor.alpha.array() * predictor.lower.array(),
                                target - high.array() - predictor.room.array() * predictor.upper.array());
    const double length = kToTheWall * longest_step(at_, change);
    const Point next = moved(at_, change, length);
    if (!std::isfinite(next.gap()) || length < kNoStep) return false;
    at_ = next;
    return true;
  }

 private:
  Vector residual() const {
    return times(at_.alpha) + at_.intercept * y_ - Vector::Ones(y_.size()) - at_.lower + at_.upper;
  }

  // G Gᵀ v, and the solution of (G Gᵀ + D) x = v.
  Vector times(const Vector& v) const { return y_.cwiseProduct(system_.times(y_.cwiseProduct(v))); }
  Vector solve(const Vector& v) const { return y_.cwiseProduct(system_.solve(y_.cwiseProduct(v))); }

  Vector y_;
  DirectSystem system_;
  Point at_;
};

}  // namespace

WeightedFit fit_svm(const Kernel& kernel, WeightedRows rows, double cost) {
  std::vector<Index> chosen;
  for (Index i = 0; i < rows.weights.size(); ++i)
    if (rows.weights(i) > 0) chosen.push_back(i);
  Solver solver(kernel, chosen, rows.labels(chosen), cost * rows.weights(chosen));
  double least = solver.violation();
  Point best = solver.at();
  bool converged = false;
  for (int i = 0; i < kMostSvmSteps && !solver.aimed() && solver.step(); ++i) {
    const double violation = solver.violation();
    // Past what double can do a step makes things worse.
    if (violation > kLost * std::max(least, kAimed)) break;
    if (violation > std::max(least, kAimed)) continue;
    least = std::min(least, violation);
    best = solver.at();
    converged = violation <= kConverged;
  }
  WeightedFit fit{std::move(rows), {Vector::Zero(kernel.size()), {}, best.intercept}, converged};
  fit.at.coefficients(chosen) = best.alpha.cwiseProduct(fit.rows.labels(chosen));
  fit.at.products = kernel.times({&fit.at.coefficients}, false, 1).front();
  return fit;
}

WeightedFit settle_svm(const Kernel& kernel, WeightedFit fit, double cost) {
  const double asked = cost;
  if (!fit.converged) fit = fit_svm(kernel, std::move(fit.rows), cost);
  while (!fit.converged && cost > kLeastSvmCost / kernel.diagonal().mean()) {
    cost /= kSmallerCost;
    fit = fit_svm(kernel, std::move(fit.rows), cost);
  }
  fit.converged = fit.converged && cost == asked;
  const Vector signed_weights = fit.rows.weights.cwiseProduct(fit.rows.labels);
  const double of_nothing = fit.rows.weights.sum() - std::abs(signed_weights.sum());
  const Vector short_of = 1 - fit.rows.labels.array() * (fit.at.products.array() + fit.at.intercept);
  if (fit.rows.weights.dot(short_of.cwiseMax(0)) < (1 - kSvmSameLoss) * of_nothing) return fit;
  const double gap = svm_gap(fit.rows, cost, fit.at);
  const Vector parts = fit.at.coefficients.cwiseProduct(kernel.diagonal().cwiseMax(0).cwiseSqrt());
  const double rounding = kSvmRounding * static_cast<double>(parts.size()) * parts.squaredNorm();
  if (fit.at.coefficients.dot(fit.at.products) > 4 * gap + rounding) return fit;
  const Vector zero = Vector::Zero(fit.rows.weights.size());
  fit.at = {zero, zero, signed_weights.sum() > 0 ? 1.0 : -1.0};
  return fit;
}

}  // namespace atcav::stats
