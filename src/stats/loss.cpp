#include "stats/loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "stats/normal.h"

namespace atcav::stats {
namespace {

constexpr std::array kSharpness = {10.0, 10.0, 10.0, 30.0};  // σ Kᵢᵢ of the first steps
constexpr double kSharp = 1e9;
constexpr double kSlack = 1e-7;

enum Side : char { kOn, kBeyond, kShort };

}  // namespace

Bend bend_ridge(const WeightedRows& rows, double lambda, const Vector& margins) {
  const Vector curved = rows.weights / (lambda * rows.weights.sum());
  return {curved.cwiseProduct(rows.labels - margins), curved};
}

Bend bend_logistic(const WeightedRows& rows, double cost, const Vector& margins) {
  const Index n = margins.size();
  Bend bend{Vector::Zero(n), Vector::Zero(n)};
  for (Index i = 0; i < n; ++i) {
    if (rows.weights(i) == 0) continue;
    const double label = rows.labels(i);
    bend.pulls(i) = cost * rows.weights(i) * label * sigmoid(-label * margins(i));
    bend.curved(i) = cost * rows.weights(i) * sigmoid_derivative(margins(i));
  }
  return bend;
}

double logistic_step(const WeightedRows& rows, double cost, const Vector& margins, const Vector& change,
                     double along, double squared) {
  const auto slope = [&](double length) {
    return along + length * squared - bend_logistic(rows, cost, margins + length * change).pulls.dot(change);
  };
  const double first = slope(0);
  if (!(first < 0)) return 0;
  double low = 0;
  double high = 1;
  double length = 1;
  for (int i = 0; i < 60; ++i) {
    const double here = slope(length);
    if (here > -0.1 * first) {
      high = length;
    } else if (here < 0.1 * first && length < 1) {
      low = length;
    } else {
      break;
    }
    length = (low + high) / 2;
  }
  return length;
}

SvmSides::SvmSides(bool cold) : step_(cold ? 0 : kSharpness.size()) {}

Bend SvmSides::choose(const WeightedRows& rows, double cost, const Vector& diagonal, const FitPoint& at) {
  const Index n = rows.weights.size();
  const bool smooth = step_ < kSharpness.size();
  Bend bend{Vector::Zero(n), Vector::Zero(n)};
  std::vector<char> sides(static_cast<std::size_t>(n), kOn);
  for (Index i = 0; i < n; ++i) {
    if (rows.weights(i) == 0) continue;
    const double label = rows.labels(i);
    const double most = cost * rows.weights(i);
    const double gap = label - at.products(i) - at.intercept;
    const double known = smooth ? 0 : at.coefficients(i);
    const double sharp = smooth ? kSharpness[step_] * std::min(1 / diagonal(i), most) : kSharp / diagonal(i);
    const double alpha = label * (known + (smooth ? sharp : 1 / diagonal(i)) * gap);
    if (alpha <= 0) {
      sides[i] = kBeyond;
    } else if (alpha >= most && step_ > 0) {
      sides[i] = kShort;
      bend.pulls(i) = most * label;
    } else {
      bend.pulls(i) = known + sharp * gap;
      bend.curved(i) = sharp;
    }
  }
  changed_ = smooth || sides_.empty() ? n : 0;
  for (Index i = 0; i < n && changed_ < n; ++i) changed_ += sides[i] != sides_[i] ? 1 : 0;
  sides_ = std::move(sides);
  if (smooth) ++step_;
  if (bend.curved.sum() > 0) return bend;
  // No row on its margin: all a little, or the intercept could not move.
  ++changed_;
  for (Index i = 0; i < n; ++i)
    if (rows.weights(i) > 0) bend.curved(i) = 1e-3 / diagonal(i);
  return bend;
}

bool is_svm_optimum(const WeightedRows& rows, double cost, const Vector& diagonal, const FitPoint& at) {
  double sum = 0;
  double size = 0;
  const double small = kSlack * std::min(at.products.cwiseAbs().maxCoeff(), 1.0);
  for (Index i = 0; i < rows.weights.size(); ++i) {
    const double most = cost * rows.weights(i);
    const double alpha = rows.labels(i) * at.coefficients(i);
    const double short_of = most == 0 ? 0 : 1 - rows.labels(i) * (at.products(i) + at.intercept);
    sum += at.coefficients(i);
    size += std::abs(alpha);
    const double slack = small / diagonal(i);
    if (alpha < -slack || alpha > most + slack) return false;
    if (short_of > small && alpha < most - slack) return false;
    if (short_of < -small && alpha > slack) return false;
  }
  return std::abs(sum) <= 1e-9 * size;
}

double svm_gap(const WeightedRows& rows, double cost, const FitPoint& at) {
  const Vector short_of = 1 - rows.labels.array() * (at.products.array() + at.intercept);
  const Vector alphas = rows.labels.cwiseProduct(at.coefficients);
  return (cost * rows.weights.array() * short_of.array().max(0) - alphas.array() * short_of.array())
      .max(0)
      .sum();
}

}  // namespace atcav::stats
