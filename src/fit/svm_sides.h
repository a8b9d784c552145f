#pragma once

#include <cstddef>
#include <vector>

#include "fit/fit_point.h"

// On which side of its margin each row of a support vector machine is: beyond it (α = 0), short of it
// (α = ωC) or on it. The primal–dual active set method takes sides, solves for the rows on their margin, and
// so again until no row changes sides.
//
// From nothing the first steps take a smooth loss instead, ½σ max(0, 1 - y f)² up to the slope ωC, σ a few
// times 1/Kᵢᵢ: the hinge taken at once puts more rows on their margins than there are columns, whose
// equations have no solution, and never recovers.
namespace atcav::fit {

class SvmSides {
 public:
  // `cold`: there is no solution of a similar problem to start from.
  explicit SvmSides(bool cold);

  // The sides at this point. `diagonal`: of K.
  void choose(const WeightedRows& rows, double cost, const Vector& diagonal, const FitPoint& at);
  const Vector& pulls() const { return pulls_; }    // -ℓ'
  const Vector& curved() const { return curved_; }  // ℓ'': huge on the margin
  // Rows that are on another side than the last time; all of them while the loss is smooth.
  Index changed() const { return changed_; }

 private:
  std::size_t step_;
  std::vector<char> sides_;
  Index changed_ = 0;
  Vector pulls_, curved_;
};

// What the dual asks of its solution; sides that repeat are not enough where rows depend on each other.
bool is_svm_optimum(const WeightedRows& rows, double cost, const Vector& diagonal, const FitPoint& at);

}  // namespace atcav::fit
