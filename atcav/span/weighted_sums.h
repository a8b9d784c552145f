#pragma once

#include <vector>

#include "atcav/base/matrix.h"

namespace atcav::span {

// weights · valuesᵀ in double: row k holds the sums of the columns of `values` with row k of `weights`. What
// many refits of a difference of means come down to; ten times the speed of adding column after column,
// because each column is read once for many refits.
//   weights: K × n, values: m × n by columns. Returns K × m. Does not depend on the number of threads.
Matrix weighted_sums(const Matrix& weights, const Eigen::MatrixXd& values, int threads);

// Row k: Σ weights_i · values.col(i) over the i in chosen[k], in that order. Values are read from a copy that
// stays in the cache. Does not depend on the number of threads.
Matrix chosen_sums(const std::vector<std::vector<Index>>& chosen, const Vector& weights,
                   const Eigen::MatrixXd& values, int threads);

}  // namespace atcav::span
