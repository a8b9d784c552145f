#pragma once

#include <cstddef>
#include <vector>

#include "atcav/matrix.h"

// What a fit pays for its rows, Σ ℓᵢ(fᵢ), as Newton's method sees it: slopes and curvatures at margins f. Row
// i counts ωᵢ times: 0 where it is left out, k where a bootstrap drew it k times.
//   ridge     ℓ = ω (y - f)²/(2λN), N = Σω
//   logistic  ℓ = ω C log(1 + exp(-y f))
//   svm       ℓ = ω C max(0, 1 - y f), by the side of its margin that each row is on
namespace atcav::stats {

struct WeightedRows {
  Vector weights;  // ω, n
  Vector labels;   // y = ±1, n
};

// w = Xᵀγ and b, with K γ = X w.
struct FitPoint {
  Vector coefficients;  // γ
  Vector products;      // K γ
  double intercept = 0;
};

struct Bend {
  Vector pulls;   // -ℓ'
  Vector curved;  // ℓ''
};

Bend bend_ridge(const WeightedRows& rows, double lambda, const Vector& margins);
Bend bend_logistic(const WeightedRows& rows, double cost, const Vector& margins);
// How far to go along a Newton step: where the objective ½|w|² + Σ ℓ has lost nine tenths of its slope, or
// the whole step, 1, or where it does not go down, 0. `change`: that of the margins. `along`: wᵀ times the
// change of w. `squared`: the squared length of that change.
double logistic_step(const WeightedRows& rows, double cost, const Vector& margins, const Vector& change,
                     double along, double squared);

// A row is beyond its margin (α = yγ = 0), short of it (α = ωC) or on it. The primal–dual active set method
// takes sides, solves for the rows on their margin, and so again until no row changes sides.
//
// From nothing the first steps take a smooth loss instead, ½σ max(0, 1 - y f)² up to the slope ωC, σ a few
// times 1/Kᵢᵢ: the hinge taken at once puts more rows on their margins than there are columns, whose
// equations have no solution, and never recovers.
class SvmSides {
 public:
  // `cold`: there is no solution of a similar problem to start from.
  explicit SvmSides(bool cold);
  // By the sides at this point; the curvature is huge on the margin. `diagonal`: of K.
  Bend choose(const WeightedRows& rows, double cost, const Vector& diagonal, const FitPoint& at);
  // Rows that are on another side than the last time; all of them while the loss is smooth.
  Index changed() const { return changed_; }

 private:
  std::size_t step_;
  std::vector<char> sides_;
  Index changed_ = 0;
};

// What the dual asks of svm's solution; sides that repeat are not enough where rows depend on each other.
bool is_svm_optimum(const WeightedRows& rows, double cost, const Vector& diagonal, const FitPoint& at);
// Between svm's primal and dual, as a sum of terms that are all ≥ 0; |w - solution|² is at most twice that.
double svm_gap(const WeightedRows& rows, double cost, const FitPoint& at);

}  // namespace atcav::stats
