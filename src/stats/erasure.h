#pragma once

#include <optional>

#include "atcav/matrix.h"

// Taking concepts out of activations. With the means of random and concept examples μ and x̄_c, a direction
// δ = x̄_c − μ for each concept and a w that tells its examples from random ones (δ itself: pattern; ridge's,
// which is LEACE as λ → 0),
//   erase(h) = h − Σᵢ δᵢ cᵢ(h),   c(h) = (W Δᵀ)⁻¹ W (h − μ),   rows of Δ and W are the δᵢ and wᵢ
// so that each share cᵢ is 0 at the random mean and 1 at its own concept's, and what erase gives is seen by
// no w: W erase(h) = W μ. All the concepts' means become μ, so no linear probe tells them from random on
// average.
//
//   const auto eraser = make_eraser(deltas, deltas, mu);
//   MatrixF without = erase(*eraser, activations);
namespace atcav::stats {

// k concepts in d columns.
struct Eraser {
  Matrix directions;  // Δ, k × d
  Matrix readers;     // (W Δᵀ)⁻¹ W, k × d
  Vector offset;      // readers · μ
};

// Nothing where a δ is 0, a w does not see its δ, or concepts depend on each other: the cosines w·δ have no
// inverse but for rounding.
std::optional<Eraser> make_eraser(const MatrixRef& directions, const MatrixRef& tellers,
                                  const VectorRef& random_mean);

// c(h), a row for each of the rows.
Matrix shares(const Eraser& eraser, const MatrixFRef& rows);
MatrixF erase(const Eraser& eraser, const MatrixFRef& rows);

}  // namespace atcav::stats
