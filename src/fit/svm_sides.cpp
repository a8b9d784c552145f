#include "fit/svm_sides.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace atcav::fit {
namespace {

constexpr std::array kSharpness = {10.0, 10.0, 10.0, 30.0};  // σ Kᵢᵢ of the first steps
constexpr double kSharp = 1e9;
constexpr double kSlack = 1e-7;

enum Side : char { kOn, kBeyond, kShort };

}  // namespace

SvmSides::SvmSides(bool cold) : step_(cold ? 0 : kSharpness.size()) {}

void SvmSides::choose(const WeightedRows& rows, double cost, const Vector& diagonal, const FitPoint& at) {
  const Index n = rows.weights.size();
  const bool smooth = step_ < kSharpness.size();
  pulls_.setZero(n);
  curved_.setZero(n);
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
      pulls_(i) = most * label;
    } else {
      pulls_(i) = known + sharp * gap;
      curved_(i) = sharp;
    }
  }
  changed_ = smooth || sides_.empty() ? n : 0;
  for (Index i = 0; i < n && changed_ < n; ++i) changed_ += sides[i] != sides_[i] ? 1 : 0;
  sides_ = std::move(sides);
  if (smooth) ++step_;
  if (curved_.sum() > 0) return;
  // No row on its margin: all a little, or the intercept could not move.
  ++changed_;
  for (Index i = 0; i < n; ++i)
    if (rows.weights(i) > 0) curved_(i) = 1e-3 / diagonal(i);
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

}  // namespace atcav::fit
