#pragma once

#include <cmath>
#include <utility>

#include "atcav/matrix.h"

// Conjugate gradients for A x = b, A symmetric and positive definite, one step at a time: the caller
// computes A·direction(), for many systems at once, and updates x.
//
//   ConjugateGradients search(b - a * x, precondition);
//   while (search.squared() > goal) {
//     const Vector image = a * search.direction();
//     x += search.length(image) * search.direction();
//     search.advance(image, precondition);
//   }
//
// precondition(r) is M⁻¹ r for some M near A. It may also change r, to keep it within a constraint.
namespace atcav::stats {

class ConjugateGradients {
 public:
  ConjugateGradients() = default;
  template <typename Precondition>
  ConjugateGradients(Vector residual, const Precondition& precondition)
      : residual_(std::move(residual)),
        direction_(precondition(residual_)),
        squared_(residual_.dot(direction_)) {}

  const Vector& direction() const { return direction_; }
  double squared() const { return squared_; }  // rᵀM⁻¹r: about the squared error of x in A's norm
  // `image`: A·direction(). How far to go along it; 0 where rounding has taken over.
  double length(const Vector& image) const {
    const double length = squared_ / direction_.dot(image);
    return length > 0 && std::isfinite(length) ? length : 0;
  }
  template <typename Precondition>
  void advance(const Vector& image, const Precondition& precondition) {
    residual_ -= length(image) * image;
    const Vector next = precondition(residual_);
    const double kept = residual_.dot(next) / squared_;
    squared_ *= kept;
    direction_ = next + kept * direction_;
  }

 private:
  Vector residual_, direction_;
  double squared_ = 0;
};

}  // namespace atcav::stats
