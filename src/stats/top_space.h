#pragma once

#include <functional>

#include "atcav/matrix.h"

// Where K = X Xᵀ is largest: its leading eigenvectors, found once, which make every later solve with K
// shorter.
//
// Real activations have a few directions far longer than all others, and conjugate gradients with a diagonal
// preconditioner meet them one after another. With K ≈ E Eᵀ + R, E (n × k) the leading eigenvectors times
// the roots of their eigenvalues and R the diagonal that is left, any I + D½ K D½ is near
//   M = Δ + D½ E Eᵀ D½,  Δ = I + D R,
// whatever rows D leaves out, and M⁻¹ takes k × k numbers (Woodbury):
//   M⁻¹ = Δ⁻¹ - Δ⁻¹ G (I + Gᵀ Δ⁻¹ G)⁻¹ Gᵀ Δ⁻¹,  G = D½ E.
// Where no direction stands out, E has no columns and M is the diagonal of I + D½ K D½.
namespace atcav::stats {

struct TopSpace {
  Matrix roots;     // E: n × k
  Vector diagonal;  // of K
  Vector left;      // R: what E Eᵀ leaves of it
};

// `multiply` makes K·v for a block of vectors (n × w); w is a multiple of 8.
using MultiplyBlock = std::function<Matrix(const Matrix&)>;
TopSpace find_top_space(const Vector& diagonal, const MultiplyBlock& multiply);

// M⁻¹ for one D.
class TopPreconditioner {
 public:
  // `top` is kept by the caller.
  TopPreconditioner(const TopSpace& top, const Vector& curved);
  Vector operator()(const Vector& values) const;
  // D½ (E Eᵀ + R) v: what D½ K v nearly is.
  Vector guess(const Vector& values) const;

 private:
  const TopSpace* top_;
  Vector roots_;    // D½
  Vector inverse_;  // Δ⁻¹
  Matrix root_;     // W, k × k: Wᵀ W = (I + Gᵀ Δ⁻¹ G)⁻¹
};

}  // namespace atcav::stats
