#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "atcav/matrix.h"
#include "fit/weighted_sums.h"
#include "pass/projections.h"

// A CAV fitted again on chosen examples, seen only through the sensitivities it gives. After the pass
// this costs nothing in d: resampling (fit/resampling.h) is written once over it for every method.
namespace atcav::fit {

// Examples by number: random ones are 0 … n₁-1, concept ones n₁ … n₁+n₂-1. A number may come twice.
using RowNumbers = std::vector<Index>;

struct Choice {
  RowNumbers random;
  RowNumbers concept_rows;
};

// What to refit on: choose(k) for k = 0 … count-1.
struct Drawing {
  Index count = 0;
  std::function<Choice(Index)> choose;
  std::uint64_t key = 0;  // drawings with the same one choose the same rows; 0: not known
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
  // All rows as they are.
  virtual Vector full() const;

  // Many at once, which may be far cheaper than one after another: for each drawing a matrix whose row k
  // belongs to choose(k), called by any of several threads (0: all available).
  virtual std::vector<Matrix> refit_all(const std::vector<Drawing>& drawings, int threads) const;
  Matrix refits(const Drawing& drawing, int threads) const;

 private:
  Index random_;
  Index concept_;
};

// pattern and fast: S = P a with a = 1/n₂ on concept rows and -1/n₁ on random rows.
class MeanRefitter : public Refitter {
 public:
  MeanRefitter(const pass::Projections& random, const pass::Projections& concept_set, bool fast,
               int threads = 1);
  // Of inputs first … first+count-1 alone.
  MeanRefitter(const pass::Projections& random, const pass::Projections& concept_set, Index first,
               Index count, bool fast, int threads);
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override;
  Vector full() const override { return full_; }
  std::vector<Matrix> refit_all(const std::vector<Drawing>& drawings, int threads) const override;
  // Labels dealt anew, as a permutation test wants it: row k has the rows of concept_rows(k) as the concept
  // and all others as random. Their sum is what the concept's leaves of the whole, so few rows are read.
  Matrix relabelled(Index count, const std::function<RowNumbers(Index)>& concept_rows, int threads) const;

 private:
  // One product of weights and projections.
  Matrix chosen(const Drawing& drawing, int threads) const;
  struct Sum {
    double weight = 0;
    Vector values;
  };
  Sum sum_of(const RowNumbers& rows) const;
  Vector difference(const Sum& random, const Sum& of_concept) const;
  double scale(double random, double of_concept) const { return fast_ ? random / (random + of_concept) : 1; }
  double weight_of(const RowNumbers& rows) const;

  Panels values_;  // m × n
  Vector weights_;
  Vector sizes_;  // m: largest projection of each input, to tell a zero from rounding
  Sum all_;       // over every row
  Vector full_;
  bool fast_;
};

RowNumbers row_range(Index first, Index last);
// What is left where exact arithmetic gives 0 (equal sets, orthogonal gradients) is no sensitivity.
Vector without_rounding(Vector sensitivities, const Vector& sizes);

}  // namespace atcav::fit
