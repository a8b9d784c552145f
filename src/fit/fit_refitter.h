#pragma once

#include <vector>

#include "atcav/cav.h"
#include "atcav/matrix.h"
#include "fit/fit_rows.h"
#include "fit/refit.h"
#include "stats/shared_fits.h"

// ridge, logistic and svm fitted again (refit.h). Refits share their products (stats/shared_fits.h).
namespace atcav::fit {

using stats::SharedFits;
using stats::WeightedFit;
using stats::WeightedRows;

class FitRefitter : public Refitter {
 public:
  // `in_steps`: a w fitted on chosen rows counts in the unit of the one on all rows: times its own step over
  // that one's. S times the step is then what the logit gains from those rows' random mean to their concept
  // mean, whose noise an effect in logits has too; and the length of w is no part of it. (A support vector
  // machine's is one over its margin, which widens as rows leave: half the rows halve it and hardly turn it.)
  FitRefitter(FitRows rows, Index random, const stats::CavOptions& options, int threads = 0,
              bool in_steps = false);
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override;
  Vector full() const override { return full_.sensitivities; }
  std::vector<Matrix> refit_all(const std::vector<Drawing>& drawings, int threads) const override;
  // Between the directions of refits 2k and 2k + 1 of a drawing: count/2 of them. A
  // direction without length has cosine 0 with everything.
  Vector pair_cosines(const Drawing& drawing, int threads) const;
  // X w of every row for each refit of a drawing, but for a constant: refits × rows.
  Matrix row_scores(const Drawing& drawing, int threads) const;
  // w fitted on all rows: its d columns, or γ where the rows are known by their products.
  const Vector& direction() const { return direction_; }
  // |w·(x̄_concept - x̄_random)|/w·w: the mean difference along w, in multiples of w.
  double step() const { return full_.step; }
  // Scores of rows by a fit without them: w·(x - midpoint of the two means it was fitted on).
  // Fold of row i of its set: i mod folds.
  pass::HeldOutScores held_out_scores(Index folds, int threads = 0) const;

 private:
  struct Fit {
    Vector sensitivities;  // Z w
    Vector scores;         // X w, but for a constant
    double length = 0;     // |w|
    double step = 0;       // 0 for w = 0
  };
  Fit fit_of(const WeightedFit& solved) const;
  WeightedRows weighted(const Choice& choice) const;
  // What sensitivities of a fit on chosen rows are multiplied by.
  double to_full_step(const Fit& fit) const;

  Matrix projections_;  // Z Xᵀ
  Vector lengths_;      // |zⱼ|
  SharedFits fits_;
  Fit full_;
  Vector direction_;
  bool in_steps_;
};

}  // namespace atcav::fit
