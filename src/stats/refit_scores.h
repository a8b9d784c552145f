#pragma once

#include "atcav/matrix.h"
#include "atcav/score.h"

// Scores of many refits by many rules. What a rule is scaled by belongs to a refit and not to the rule: it is
// found once, and sigmoids of all refits are made together.
//
//   RefitScores scores(refits);                 // one row of sensitivities per refit; kept by reference
//   Vector found = scores.of(alpha_rule(3));    // scores_of_rows(refits, alpha_rule(3))
namespace atcav::stats {

// score(row, rule) of each row, to the last bit. threads: 0 for all.
Vector scores_of_rows(const Matrix& refits, const ScoreRule& rule, int threads = 1);

class RefitScores {
 public:
  explicit RefitScores(const Matrix& refits);
  Vector of(const ScoreRule& rule) const;
  // The same, each within kRoughError and at a tenth of the time: for decisions that are not close. Empty
  // where the rule is a step for some refit, or has steepnesses of its inputs' own.
  Vector roughly(const ScoreRule& rule) const;
  static constexpr double kRoughError = 1e-4;
  // No less than the standard deviation of the scores by alpha_rule(alpha), from the first term of the
  // sigmoid, ½ + y/4, which is off by |y|³/48 at most. Close to it for a small α alone.
  double flat_sd(double alpha) const;
  const Matrix& refits() const { return refits_; }

 private:
  const Matrix& refits_;
  Vector gammas_;
  Vector spreads_;
  MatrixF scaled_;      // S/γ, with zeros behind the last input
  double mean_sd_ = 0;  // of mean(S/γ) over refits
  double cubes_ = 0;    // root mean square of mean |S/γ|³
};

}  // namespace atcav::stats
