#include "stats/logistic.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

constexpr double kTolerance = 1e-9;
constexpr int kMostNewtonSteps = 100;

// The unknowns are (w, b) in one vector, b last.
class Objective {
 public:
  Objective(Matrix rows, const VectorRef& labels, double cost)
      : rows_(std::move(rows)), labels_(labels), cost_(cost) {}

  Vector margins(const Vector& unknowns) const {
    return (rows_ * unknowns.head(rows_.cols())).array() + unknowns(rows_.cols());
  }

  double value(const Vector& unknowns) const {
    const Vector loss = (labels_.array() * margins(unknowns).array()).unaryExpr([](double t) {
      return t > 0 ? std::log1p(std::exp(-t)) : -t + std::log1p(std::exp(t));
    });
    return 0.5 * unknowns.head(rows_.cols()).squaredNorm() + cost_ * loss.sum();
  }

  Vector gradient(const Vector& unknowns) const {
    const Vector pull =
        -labels_.array() *
        (labels_.array() * margins(unknowns).array()).unaryExpr([](double t) { return sigmoid(-t); });
    Vector result(unknowns.size());
    result << unknowns.head(rows_.cols()) + cost_ * (rows_.transpose() * pull), cost_ * pull.sum();
    return result;
  }

  Vector curvature_weights(const Vector& unknowns) const {
    return cost_ * margins(unknowns).unaryExpr([](double t) { return sigmoid_derivative(t); });
  }

  Vector hessian_times(const Vector& weights, const Vector& direction) const {
    const Vector curved = weights.array() * margins(direction).array();
    Vector result(direction.size());
    result << direction.head(rows_.cols()) + rows_.transpose() * curved, curved.sum();
    return result;
  }

 private:
  Matrix rows_;
  Vector labels_;
  double cost_;
};

Vector newton_step(const Objective& objective, const Vector& weights, const Vector& gradient) {
  Vector step = Vector::Zero(gradient.size());
  Vector residual = -gradient;
  Vector direction = residual;
  double squared = residual.squaredNorm();
  // Loose far from the solution, tight near it: the steps then converge superlinearly.
  const double target = squared * std::pow(std::min(0.1, std::sqrt(std::sqrt(squared))), 2);
  const Index most = 20 * gradient.size() + 100;
  for (Index i = 0; i < most && squared > target; ++i) {
    const Vector image = objective.hessian_times(weights, direction);
    const double length = squared / direction.dot(image);
    if (!std::isfinite(length)) break;
    step += length * direction;
    residual -= length * image;
    const double next = residual.squaredNorm();
    direction = residual + (next / squared) * direction;
    squared = next;
  }
  return step;
}

}  // namespace

Cav fit_logistic(const MatrixRef& rows, const VectorRef& labels, double cost) {
  check_positive("fit_cav", "cost", cost);
  const Eigen::RowVectorXd centre = rows.colwise().mean();
  const Objective objective(rows.rowwise() - centre, labels, cost);
  Vector unknowns = Vector::Zero(rows.cols() + 1);
  double value = objective.value(unknowns);
  Vector gradient = objective.gradient(unknowns);
  const double goal =
      kTolerance * std::max(gradient.norm(), cost * std::sqrt(static_cast<double>(rows.rows())));
  bool converged = gradient.norm() <= goal;
  for (int i = 0; i < kMostNewtonSteps && !converged; ++i) {
    const Vector step = newton_step(objective, objective.curvature_weights(unknowns), gradient);
    const double slope = gradient.dot(step);
    double length = 1;
    double next = objective.value(unknowns + step);
    while (next > value + 1e-4 * length * slope && length > 1e-10) {
      length /= 2;
      next = objective.value(unknowns + length * step);
    }
    unknowns += length * step;
    value = next;
    gradient = objective.gradient(unknowns);
    converged = gradient.norm() <= goal;
    if (length <= 1e-10) break;
  }
  const Vector direction = unknowns.head(rows.cols());
  return {direction, unknowns(rows.cols()) - centre.dot(direction), converged};
}

}  // namespace atcav::stats
