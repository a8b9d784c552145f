#pragma once

#include <utility>

#include "atcav/cav.h"
#include "atcav/random.h"
#include "fit/refit.h"
#include "stats/testing_fits.h"

// For the tests of fits.
namespace atcav::fit {

// Random rows and then concept rows: standard normal plus `mean`, the latter moved in two columns.
inline Matrix two_sets(std::uint64_t seed, Index random, Index positive, Index columns, double signal,
                       double mean) {
  Matrix rows = Stream(seed).normal_matrix(random + positive, columns);
  rows.array() += mean;
  rows.bottomRows(positive).leftCols(2).array() += signal;
  return rows;
}

// Every refit by itself, by the plain solvers of stats/testing_fits.h.
class DirectRefitter : public Refitter {
 public:
  DirectRefitter(Matrix rows, Matrix gradients, Index random, const stats::CavOptions& options)
      : Refitter(random, rows.rows() - random),
        rows_(std::move(rows)),
        gradients_(std::move(gradients)),
        options_(options) {}

  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override {
    if (backwards) return of({random.rbegin(), random.rend()}, {concept_rows.rbegin(), concept_rows.rend()});
    return of(random, concept_rows);
  }

  bool backwards = false;  // the same rows in the opposite order

 private:
  Vector of(const RowNumbers& random, const RowNumbers& concept_rows) const {
    return gradients_ *
           stats::plain_direction(rows_(random, Eigen::all), rows_(concept_rows, Eigen::all), options_);
  }

  Matrix rows_;
  Matrix gradients_;
  stats::CavOptions options_;
};

}  // namespace atcav::fit
