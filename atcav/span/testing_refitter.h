#pragma once

#include <utility>

#include "atcav/span/refit.h"
#include "atcav/stats/cav.h"

// For tests: every refit by itself, by the direct solvers of stats/cav.h.
namespace atcav::span {

class DirectRefitter : public Refitter {
 public:
  DirectRefitter(Matrix rows, Matrix gradients, Index random, const stats::CavOptions& options)
      : Refitter(random, rows.rows() - random),
        rows_(std::move(rows)),
        gradients_(std::move(gradients)),
        options_(options) {}

  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override {
    return gradients_ *
           stats::fit_cav(rows_(random, Eigen::all), rows_(concept_rows, Eigen::all), options_).direction;
  }

 private:
  Matrix rows_;
  Matrix gradients_;
  stats::CavOptions options_;
};

}  // namespace atcav::span
