#pragma once

#include "atcav/matrix.h"
#include "fit/fit_rows.h"

// The examples of one test as a fit with the kernel k(x, y) = exp(-|x - y|²/m²) sees them, m the median
// distance between examples: a linear fit in another space, so that FitRefitter, held-out scores and the
// jackknife do for a region what they do for a direction.
//
//   g(h) = Σ γ_i k(h, x_i),   z·∇g(h) = Σ γ_i k(h, x_i)·2 z·(x_i - h)/m²
//
// Both are linear in γ: the second is what `projections` gives as sensitivities.
namespace atcav::fit {

// Inputs of the classes at the layer, around the pass's centre c.
struct InputPlaces {
  Matrix products;  // (h_j - c)·(x_i - c): inputs × rows of the test
  Vector squares;   // |h_j - c|²
  Vector along;     // z_j·(h_j - c)
};

struct RegionRows {
  FitRows rows;      // products: k; projections: what γ is multiplied with for z_j·∇g(h_j)
  double width = 0;  // m
  double apart = 0;  // the distance between the two sets' means
  Matrix at_inputs;  // k(h_j, x_i); empty without inputs
  Matrix products;   // x_i·x_l around c
  Matrix inputs;     // InputPlaces::products

  // |∇g(h_j)| for these coefficients.
  Vector slopes(const Vector& coefficients, const InputPlaces& places) const;
};

// `linear`: of the test, centred. Without places projections are those of no input.
RegionRows region_rows(const FitRows& linear, Index random, const InputPlaces* places);

}  // namespace atcav::fit
