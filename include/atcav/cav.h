#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "atcav/matrix.h"

// Concept activation vectors: directions that point from random examples towards a concept.
//
//   pattern      mean(concept) - mean(random)
//   fast         mean(concept) - mean(all) = n₁/(n₁+n₂) · pattern
//   ridge(λ)     (XᵀX/n + λI)⁻¹ Xᵀy/√n, y = -1 (random) or +1 (concept), means of X and y subtracted first;
//                as they are in the paper's form, which has no intercept (`centred` = false)
//   logistic(C)  argmin ½|w|² + C Σ log(1 + exp(-yᵢ(w·xᵢ + b))), b unpenalised
//   svm(C)       argmin ½|w|² + C Σ max(0, 1 - yᵢ(w·xᵢ + b)), b unpenalised
//
// Every fit works on examples in any coordinates that keep inner products: the d columns of a layer or
// the few of its reduction (fit/reduction.h) give the same sensitivities.
namespace atcav::stats {

enum class CavMethod { kPattern, kFast, kRidge, kLogistic, kSvm };

inline constexpr std::array<std::string_view, 5> kCavMethods = {"pattern", "fast", "ridge", "logistic",
                                                                "svm"};
constexpr std::string_view name(CavMethod method) { return kCavMethods.at(static_cast<std::size_t>(method)); }
// std::invalid_argument for other names.
CavMethod parse_cav_method(std::string_view text);
// Differences of means need only sums over examples; the others need the examples themselves.
bool is_mean_difference(CavMethod method);

struct CavOptions {
  CavMethod method = CavMethod::kPattern;
  double lambda = 1;    // ridge: penalty, > 0
  double cost = 1;      // logistic, svm: C, > 0
  bool centred = true;  // ridge: subtract means first; false: the paper's form

  // Of a fit: whether a shift of all rows changes nothing.
  bool has_intercept() const { return method != CavMethod::kRidge || centred; }
};

struct Cav {
  Vector direction;       // w, d
  double intercept = 0;   // b of logistic and svm; 0 otherwise
  bool converged = true;  // the iteration reached its tolerance
};

// Subtracts the mean from all rows and returns it. A constant column becomes exactly 0, however large it was.
Eigen::RowVectorXd centre(Matrix& rows);

// What ridge adds to the diagonal of X Xᵀ/n: λ, but no less than a fraction of the trace that keeps linearly
// dependent rows solvable. Every smaller λ > 0 gives the same direction: the limit for λ → 0, to four digits
// or more.
double ridge_penalty(double lambda, double trace);

// The cost that logistic and svm are fitted at, for rows of these lengths: C within two limits. Below the
// first w is proportional to C and rounding would drown the margins: the fit at C is the fit at the limit,
// scaled. Above the second (svm) w no longer depends on C, but for sets that lie closer than 1e-4 of a row's
// length.
double cost_in_reach(const CavOptions& options, const Vector& lengths);

// A power of two near the square root of this mean square, so that division by it is exact. Fits are made in
// this unit, with C multiplied and λ divided by its square: results do not depend on the units of the rows.
double unit_of(double mean_square);

// Rows are examples; both sets need at least one row and equal columns, all finite.
Cav fit_cav(const MatrixRef& random, const MatrixRef& concept_rows, const CavOptions& options);

}  // namespace atcav::stats
