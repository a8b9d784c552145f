#pragma once

#include <memory>
#include <utility>

#include "atcav/interval.h"
#include "atcav/matrix.h"
#include "atcav/score.h"
#include "stats/refit_scores.h"

// What the interval of a smooth score must hold besides its own error where gradients agree. All S_j share
// one CAV; if they share its noise too, a score knows little more than their common sign. Its slope is then
// flat and its refits keep the sign they have, while another set of examples would turn it. So the interval
// is widened to the scores that are expected where the mean sensitivity lies at either end of its t-interval:
//   E T(S + ε ± t·e),   e_j = cov(S_j, S̄)/sd(S̄),   ε and e from the refits.
// Simulated: docs/theory/interval.md.
namespace atcav::fit {

class SharedSign {
 public:
  // Nothing is widened below this share of the mean's variance in that of single inputs: 1 where all S_j move
  // together, about 1/m where each moves by itself.
  static constexpr double kCoherent = 0.2;

  // `of_mean`, `of_inputs`: variances of S̄ and, on average, of the S_j from the examples' noise, of which
  // S̄'s has so many `degrees` of freedom. `refits`: bootstrapped sensitivities.
  SharedSign(double of_mean, double of_inputs, double degrees, const Matrix& refits, double level);
  stats::Interval widened(stats::Interval interval, const stats::ScoreRule& rule) const;

 private:
  // The refits with S̄ at either end of its interval.
  struct Ends {
    Ends(Matrix at_low, Matrix at_high) : low(std::move(at_low)), high(std::move(at_high)) {}
    Matrix low, high;
    stats::RefitScores of_low{low}, of_high{high};
  };
  std::shared_ptr<const Ends> ends_;  // null where nothing is widened
};

}  // namespace atcav::fit
