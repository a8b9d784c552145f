#pragma once

#include <string>
#include <vector>

#include "atcav/groups.h"
#include "atcav/matrix.h"

// What labels of a pool say of its rows before any response is looked at (stats/joint_effect.h has the
// formulas).
namespace atcav::stats {

struct LabelDesign {
  Matrix basis;              // q × N: orthonormal rows that span the centred labels
  Matrix weights;            // q × N: row k is H_k
  Vector leverages;          // N
  Vector inflation;          // q: 1/(1-R²) of a label on the others
  Vector degrees;            // q, without groups and cells
  std::vector<Index> cells;  // of each row, where there are as many cells as coefficients; else empty
  Index cell_count = 0;
  // Of each label, whether one row decides it: that row has no residual, and nothing tells its noise.
  std::vector<bool> decided_by_one;
};

// Numbers only, at least two rows. std::invalid_argument for a constant label and for labels that others
// determine, with their names.
LabelDesign design_labels(const MatrixRef& labels, const std::vector<std::string>& names,
                          const Groups& groups, int threads);

// H_ik/√(1-ℓ_i): times a residual it is a row's influence on the label's effect.
Vector influence_weights(const LabelDesign& design, Index label);

}  // namespace atcav::stats
