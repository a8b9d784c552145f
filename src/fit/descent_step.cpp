#include "fit/descent_step.h"

#include <cmath>
#include <utility>

namespace atcav::span {

DescentStep::DescentStep(Vector residual, Vector curved)
    : residual_(std::move(residual)),
      curved_(std::move(curved)),
      curved_sum_(curved_.sum()),
      change_(Vector::Zero(residual_.size())),
      product_(Vector::Zero(residual_.size())) {}

bool DescentStep::advance(const VectorRef& product) {
  const double squared = left(product);
  if (squared_ == 0) {
    direction_ = residual_;
    direction_product_ = product;
  } else {
    direction_ = residual_ + (squared / squared_) * direction_;
    direction_product_ = product + (squared / squared_) * direction_product_;
  }
  squared_ = squared;
  const double mean = curved_.dot(direction_product_) / curved_sum_;
  const Vector image = direction_ + curved_.cwiseProduct((direction_product_.array() - mean).matrix());
  const double length = squared / direction_product_.dot(image);
  if (!(length > 0 && std::isfinite(length))) return false;
  change_ += length * direction_;
  product_ += length * direction_product_;
  residual_ -= length * image;
  return true;
}

}  // namespace atcav::span
