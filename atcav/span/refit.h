#pragma once

#include <memory>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/span/held_out.h"
#include "atcav/span/projections.h"
#include "atcav/stats/cav.h"

// A CAV fitted again on chosen examples, seen only through the sensitivities it gives. After the pass
// this costs nothing in d: resampling (span/resampling.h) is written once over it for every method.
namespace atcav::span {

// Examples by number: random ones are 0 … n₁-1, concept ones n₁ … n₁+n₂-1. A number may come twice.
using RowNumbers = std::vector<Index>;

class Refitter {
 public:
  Refitter(Index random, Index concept_count) : random_(random), concept_(concept_count) {}
  virtual ~Refitter() = default;
  Index random_rows() const { return random_; }
  Index concept_rows() const { return concept_; }
  Index all_rows() const { return random_ + concept_; }
  // S = Z w, m, for w fitted on these rows.
  virtual Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const = 0;
  // All rows once, these as the concept and the others as random: what a permutation test asks for.
  virtual Vector relabelled(const RowNumbers& concept_rows) const;
  // All rows as they are.
  virtual Vector full() const;

 private:
  Index random_;
  Index concept_;
};

// pattern and fast: S = P a with a = 1/n₂ on concept rows and -1/n₁ on random rows.
class MeanRefitter : public Refitter {
 public:
  MeanRefitter(const Projections& random, const Projections& concept_set, bool fast);
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override;
  // The random rows' sum is what the concept rows leave of the whole.
  Vector relabelled(const RowNumbers& concept_rows) const override;

 private:
  struct Sum {
    double weight = 0;
    Vector values;
  };
  Sum sum_of(const RowNumbers& rows) const;
  Vector difference(const Sum& random, const Sum& of_concept) const;

  Eigen::MatrixXd values_;  // m × n by columns: a refit sums whole columns
  Vector weights_;
  Vector sizes_;  // m: largest projection of each input, to tell a zero from rounding
  Sum all_;       // over every row
  bool fast_;
};

// ridge, logistic and svm on a copy of the examples that keeps inner products (span/reduction.h).
class FitRefitter : public Refitter {
 public:
  // features: n × r, the n₁ random rows first; gradients: m × r. `fitted`: the direction fitted on all rows
  // (directions.h: fitted_directions), which is fitted here where it is not given.
  FitRefitter(Matrix features, Matrix gradients, Index random, stats::CavOptions options, Vector fitted = {});
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override;
  Vector relabelled(const RowNumbers& concept_rows) const override;
  Vector full() const override { return along(fitted_); }
  // Scores of rows by a fit without them: w·(x - midpoint of the two means it was fitted on).
  // Fold of row i of its set: i mod folds.
  HeldOutScores held_out_scores(Index folds) const;

 private:
  Vector direction(const RowNumbers& random, const RowNumbers& concept_rows) const;
  Vector along(const Vector& direction) const;

  Matrix features_;
  Matrix gradients_;
  stats::CavOptions options_;
  Vector fitted_;
  Matrix smoother_;  // ridge without centring: S = H y for labels y, because X stays
};

RowNumbers row_range(Index first, Index last);

}  // namespace atcav::span
