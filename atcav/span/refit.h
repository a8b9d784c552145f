#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/span/held_out.h"
#include "atcav/span/projections.h"
#include "atcav/span/shared_fits.h"
#include "atcav/stats/cav.h"

// A CAV fitted again on chosen examples, seen only through the sensitivities it gives. After the pass
// this costs nothing in d: resampling (span/resampling.h) is written once over it for every method.
namespace atcav::span {

// Examples by number: random ones are 0 … n₁-1, concept ones n₁ … n₁+n₂-1. A number may come twice.
using RowNumbers = std::vector<Index>;

struct Choice {
  RowNumbers random;
  RowNumbers concept_rows;
};

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

  // Many at once, which may be far cheaper than one after another: row k belongs to choose(k), called once
  // for each k by any of several threads (0: all available).
  virtual Matrix refits(Index count, const std::function<Choice(Index)>& choose, int threads) const;
  virtual Matrix relabelled_refits(Index count, const std::function<RowNumbers(Index)>& choose,
                                   int threads) const;

 private:
  Index random_;
  Index concept_;
};

// pattern and fast: S = P a with a = 1/n₂ on concept rows and -1/n₁ on random rows.
class MeanRefitter : public Refitter {
 public:
  MeanRefitter(const Projections& random, const Projections& concept_set, bool fast, int threads = 1);
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override;
  // The random rows' sum is what the concept rows leave of the whole.
  Vector relabelled(const RowNumbers& concept_rows) const override;
  Vector full() const override { return full_; }
  // One product of weights and projections.
  Matrix refits(Index count, const std::function<Choice(Index)>& choose, int threads) const override;
  Matrix relabelled_refits(Index count, const std::function<RowNumbers(Index)>& choose,
                           int threads) const override;

 private:
  struct Sum {
    double weight = 0;
    Vector values;
  };
  Sum sum_of(const RowNumbers& rows) const;
  Vector difference(const Sum& random, const Sum& of_concept) const;
  double scale(double random, double of_concept) const { return fast_ ? random / (random + of_concept) : 1; }
  double weight_of(const RowNumbers& rows) const;

  Eigen::MatrixXd values_;  // m × n by columns: a refit sums whole columns
  Vector weights_;
  Vector sizes_;  // m: largest projection of each input, to tell a zero from rounding
  Sum all_;       // over every row
  Vector full_;
  bool fast_;
};

// ridge, logistic and svm on a copy of the examples that keeps inner products (span/reduction.h). Refits
// share their products (shared_fits.h); the few that this cannot solve are solved directly (stats/cav.h).
class FitRefitter : public Refitter {
 public:
  // features: n × r, the n₁ random rows first; gradients: m × r.
  FitRefitter(Matrix features, Matrix gradients, Index random, const stats::CavOptions& options,
              int threads = 0);
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override;
  Vector relabelled(const RowNumbers& concept_rows) const override;
  Vector full() const override { return along(fitted_); }
  Matrix refits(Index count, const std::function<Choice(Index)>& choose, int threads) const override;
  Matrix relabelled_refits(Index count, const std::function<RowNumbers(Index)>& choose,
                           int threads) const override;
  // w fitted on all rows, r.
  const Vector& direction() const { return fitted_; }
  // Scores of rows by a fit without them: w·(x - midpoint of the two means it was fitted on).
  // Fold of row i of its set: i mod folds.
  HeldOutScores held_out_scores(Index folds, int threads = 0) const;

 private:
  Vector solved_directly(const WeightedRows& rows) const;
  Vector along(const Vector& direction) const;
  Matrix solve(Index count, const SharedFits::Draw& draw, bool warm, int threads) const;
  // m × n: each input's sensitivity as a function of the labels of all rows. Ridge alone has it; nothing
  // where rows so nearly depend on each other that it misses the fit on the true labels.
  std::optional<Matrix> of_labels(int threads) const;
  WeightedRows weighted(const Choice& choice) const;
  double factor(const WeightedRows& rows) const;

  Matrix features_;
  Matrix gradients_;
  stats::CavOptions options_;
  SharedFits fits_;
  Matrix projections_;  // m × n: z_j · x_i
  Vector sizes_;        // m: |z_j| times the longest row's length
  Vector fitted_;
};

RowNumbers row_range(Index first, Index last);

}  // namespace atcav::span
