#pragma once

#include <vector>

#include "atcav/base/matrix.h"

// Inner products of all examples with each other, K = X Xᵀ, around a centre and with the centre itself.
namespace atcav::span {

// Rows in memory or mapped, one set after the other.
struct RowBlock {
  const float* data = nullptr;
  Index rows = 0;
};

// `sets` hold N rows of `centre.size()` columns. Returns (N+1) × (N+1): (x_i - c)·(x_j - c), and in the
// last row and column c·(x_i - c) and c·c. `exact`: in double, else float pieces added up in double.
// Only half is computed; the result does not depend on the number of threads.
Matrix centred_gram(const std::vector<RowBlock>& sets, const Eigen::VectorXf& centre, bool exact,
                    int threads);

}  // namespace atcav::span
