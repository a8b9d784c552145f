#pragma once

#include <vector>

#include "atcav/cav.h"
#include "atcav/matrix.h"
#include "stats/kernel.h"
#include "stats/loss.h"
#include "stats/top_space.h"

// Ridge, logistic and svm on weighted copies of the same rows, many fits at once. Each minimises
//   ½|w|² + Σ ℓᵢ(fᵢ),  f = X w + b,  w = Xᵀγ  (losses: loss.h)
// by Newton's method. A step δ of γ solves (I + D K) δ = g, D = ℓ'', g = -ℓ' - γ, within Σ (γ + δ) = 0, which
// is what b does. With δ = g + D½ v it is (I + D½ K D½) v = -D½ K g: conjugate gradients, preconditioned by
// the largest directions of K (top_space.h). All fits take their steps together, so that one product with K
// serves all that are not done; a fit's numbers depend on its own problem alone, to the last bit.
//
// Products within a step are in float; K γ is recomputed in double after it, so the next step corrects what
// float lost. A fit that stalls continues in double, and if conjugate gradients stall the equations are
// factorised (direct_system.h). It ends when the remaining step is below 3e-9 of w.
namespace atcav::stats {

// What fits share.
struct FitSetting {
  const Kernel* kernel;
  const TopSpace* top;  // of K
  CavOptions options;   // λ and C in the units of K
};

struct WeightedFit {
  WeightedRows rows;
  FitPoint at;  // ridge's factor √N not yet in it; exactly 0 where rounding is all there is
  bool converged = false;
  int products = 0;  // with K, for it alone
};

// `start`: the solution of a similar problem, or nullptr.
std::vector<WeightedFit> fit_together(const FitSetting& setting, std::vector<WeightedRows> problems,
                                      const FitPoint* start, int threads);

}  // namespace atcav::stats
