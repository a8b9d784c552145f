#include "stats/svm.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace atcav::stats {

double svm_gap(const Vector& short_of, const Vector& alphas, const Vector& costs) {
  return (costs.array() * short_of.array().max(0) - alphas.array() * short_of.array()).max(0).sum();
}

namespace {

constexpr int kMostSteps = 100;
constexpr double kAimed = 1e-13;  // what double allows on easy problems; on others steps stop gaining before
constexpr double kConverged = 1e-6;
constexpr int kMostRefinements = 5;
constexpr double kLost = 100;
constexpr double kRounding = 1e-14;
constexpr double kNoStep = 1e-6;
constexpr double kToTheWall = 0.995;  // share of the way to the boundary that a step may go

// (G Gᵀ + diag(D)) x = v for one D after another, in the smaller of its two forms; refined, because D spans
// many decades.
class System {
 public:
  explicit System(const Matrix& signed_rows) : g_(signed_rows), wide_(g_.rows() <= g_.cols()) {
    if (!wide_) return;
    gram_ = Eigen::MatrixXd::Zero(g_.rows(), g_.rows());
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(g_);
  }

  void set_diagonal(const Vector& diagonal) {
    d_ = diagonal;
    Eigen::MatrixXd small = gram_;
    if (wide_) {
      small.diagonal() += d_;
    } else {
      const Matrix scaled = d_.cwiseSqrt().cwiseInverse().asDiagonal() * g_;
      small = Eigen::MatrixXd::Identity(g_.cols(), g_.cols());
      small.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    }
    factor_.compute(small.selfadjointView<Eigen::Lower>());
  }

  Vector solve(const Vector& right) const {
    Vector x = solve_once(right);
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kMostRefinements; ++i) {
      const Vector residual = right - d_.cwiseProduct(x) - g_ * (g_.transpose() * x);
      if (!(residual.norm() < 0.5 * before)) break;
      before = residual.norm();
      x += solve_once(residual);
    }
    return x;
  }

 private:
  Vector solve_once(const Vector& right) const {
    if (wide_) return factor_.solve(right);
    const Vector x = right.cwiseQuotient(d_);
    return x - (g_ * factor_.solve(g_.transpose() * x)).cwiseQuotient(d_);
  }

  const Matrix& g_;
  bool wide_;
  Eigen::MatrixXd gram_;
  Vector d_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

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
  Solver(const Matrix& signed_rows, const VectorRef& labels, double cost)
      : g_(signed_rows), y_(labels), system_(signed_rows) {
    // Feasible from the start: y·α = 0, and multipliers that make up for the gradient, with room to spare.
    const double positive = static_cast<double>((y_.array() > 0).count());
    const double smaller = std::min(positive, static_cast<double>(y_.size()) - positive);
    at_.alpha = 0.5 * cost * smaller *
                (y_.array() > 0)
                    .select(Vector::Constant(y_.size(), 1 / positive),
                            1 / (static_cast<double>(y_.size()) - positive));
    at_.room = cost - at_.alpha.array();
    const Vector gradient = (g_ * direction()).array() - 1;
    const double spare = gradient.cwiseAbs().maxCoeff();
    at_.lower = gradient.cwiseMax(0).array() + spare;
    at_.upper = (-gradient).cwiseMax(0).array() + spare;
  }

  const Point& at() const { return at_; }
  Vector direction() const { return g_.transpose() * at_.alpha; }

  // How far margins are from what the multipliers say, and the gap between primal and dual over the dual.
  double violation() const {
    const double size = std::max(at_.alpha.sum(), std::numeric_limits<double>::min());
    return std::max({at_.gap() / size, std::abs(y_.dot(at_.alpha)) / size, residual().cwiseAbs().maxCoeff()});
  }
  // Where the cost is small the dual is far larger than |w|², which is what the gap is to be small beside.
  bool aimed() const { return violation() <= kAimed && at_.gap() <= kAimed * direction().squaredNorm(); }

  // One predictor and corrector; false when it no longer gets anywhere.
  bool step() {
    const Vector off = residual();
    system_.set_diagonal(at_.lower.cwiseQuotient(at_.alpha) + at_.upper.cwiseQuotient(at_.room));
    const Vector along = system_.solve(y_);
    // `low` and `high`: by how much α·lower and room·upper are to change.
    const auto newton = [&](const Vector& low, const Vector& high) {
      const Vector free = system_.solve(low.cwiseQuotient(at_.alpha) - high.cwiseQuotient(at_.room) - off);
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
    return g_ * direction() + at_.intercept * y_ - Vector::Ones(y_.size()) - at_.lower + at_.upper;
  }

  const Matrix& g_;
  Vector y_;
  System system_;
  Point at_;
};

}  // namespace

Cav fit_svm(const MatrixRef& rows, const VectorRef& labels, double cost) {
  check_positive("fit_cav", "cost", cost);
  const Eigen::RowVectorXd centre = rows.colwise().mean();
  const Matrix signed_rows = labels.asDiagonal() * (rows.rowwise() - centre);
  Solver solver(signed_rows, labels, cost);
  double least = solver.violation();
  Cav best{solver.direction(), solver.at().intercept, false};
  Vector alphas = solver.at().alpha;
  for (int i = 0; i < kMostSteps && !solver.aimed() && solver.step(); ++i) {
    const double violation = solver.violation();
    // Past what double can do a step makes things worse.
    if (violation > kLost * std::max(least, kAimed)) break;
    if (violation > std::max(least, kAimed)) continue;
    least = std::min(least, violation);
    best = {solver.direction(), solver.at().intercept, violation <= kConverged};
    alphas = solver.at().alpha;
  }
  const Vector short_of = 1 - (signed_rows * best.direction + best.intercept * labels).array();
  const double gap = svm_gap(short_of, alphas, Vector::Constant(labels.size(), cost));
  const double summed = alphas.dot(signed_rows.rowwise().norm());
  // |w|² is off by at most twice the gap.
  if (best.direction.squaredNorm() <= 4 * gap + std::pow(kRounding * summed, 2))
    best = {Vector::Zero(rows.cols()), labels.sum() > 0 ? 1.0 : -1.0, best.converged};
  best.intercept -= centre.dot(best.direction);
  return best;
}

}  // namespace atcav::stats
