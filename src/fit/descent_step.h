#pragma once

#include "atcav/matrix.h"

// A Newton step by conjugate gradients on w itself, w = Xᵀγ, which like newton_fit.h sees the rows only
// through products with K = X Xᵀ.
//
// The step δ of γ minimises ½|Xᵀδ|² + ½ Σ Dᵢ fᵢ² - Σ gᵢ fᵢ over δ and the intercept's step b, f = K δ + b,
// g = -ℓ' less what |w|² pulls back. With b eliminated its equations are
//   (I + D C K) δ = g - D Σg/ΣD,  C f = f - Σ Dᵢfᵢ/ΣD,
// and their matrix is symmetric in the inner product ⟨a, b⟩ = aᵀK b, that of the w. Every iterate goes
// downhill, however early it is stopped, whatever K's rank, and where D is 0. The price: no preconditioner.
//
//   DescentStep step(residual, curved);
//   while (step.left(product = K * step.residual()) > enough) step.advance(product);
namespace atcav::span {

class DescentStep {
 public:
  // `residual`: the right-hand side. `curved`: D.
  DescentStep(Vector residual, Vector curved);

  const Vector& residual() const { return residual_; }
  // |Xᵀ residual|²: the squared gradient that is left. `product`: K·residual.
  double left(const VectorRef& product) const { return residual_.dot(product); }
  // Along one more direction. False where rounding leaves none.
  bool advance(const VectorRef& product);

  const Vector& change() const { return change_; }           // δ
  const Vector& change_product() const { return product_; }  // K δ

 private:
  Vector residual_, curved_;
  double curved_sum_;
  Vector change_, product_;
  Vector direction_, direction_product_;
  double squared_ = 0;
};

}  // namespace atcav::span
