#pragma once

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

std::string_view name(CavMethod method);
// Throws std::invalid_argument listing the names when `text` is none of them.
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

// Takes the mean off all rows and returns it. A column that is the same in all rows becomes exactly 0,
// however large it was.
Eigen::RowVectorXd centre(Matrix& rows);

// What ridge adds to the diagonal of X Xᵀ/n: λ, but no less than a trace at which rounding does not yet
// decide where rows depend on each other. So every smaller λ > 0 gives the same direction, to four digits or
// more the limit for λ → 0.
double ridge_penalty(double lambda, double trace);

// Of logistic and svm, for rows of these lengths: C, but no less than what moves margins a little. Below that
// w is proportional to C, and rounding would drown the margins: a fit at the cost given here times C over it
// is the one at C. And for svm no more than what rounding leaves a direction: beyond that w is the same for
// every C, but for sets that part by less than 1e-4 of a row's length.
double cost_in_reach(const CavOptions& options, const Vector& lengths);

// A power of two near the square root of this mean of squares, so that dividing rows by it rounds nothing.
// Every fit is made in these units, with C times and λ divided by its square: whatever units rows come in,
// the numbers are the same.
double unit_of(double mean_square);

// Rows are examples; both sets need at least one row and equal columns, all finite.
Cav fit_cav(const MatrixRef& random, const MatrixRef& concept_rows, const CavOptions& options);

}  // namespace atcav::stats
