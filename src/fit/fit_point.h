#pragma once

#include "atcav/matrix.h"

// What a fit on weighted rows starts from and ends at (weighted_fit.h).
namespace atcav::fit {

struct WeightedRows {
  Vector weights;  // ω, n
  Vector labels;   // y = ±1, n
};

// A point to start from, with its products.
struct FitPoint {
  Vector coefficients;  // γ
  Vector products;      // K γ
  double intercept = 0;
};

}  // namespace atcav::fit
