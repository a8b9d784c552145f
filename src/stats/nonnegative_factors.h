#pragma once

#include <cstdint>

#include "atcav/matrix.h"

// Nonnegative rows as sums of nonnegative parts, X ≈ W·F with W, F ≥ 0, so that |X - W F|² is small (Lee &
// Seung 1999), by one column of W and one row of F at a time (HALS, Cichocki & Phan 2009). Starts at the
// centres of clusters (stats/kmeans.h), so a seed gives the same parts again.
//
//   NonnegativeFactors found = nonnegative_factors(rows, {.factors = 10});
//   nonnegative_weights(others, found.factors);   // how much others have of each part
namespace atcav::stats {

struct FactorOptions {
  Index factors = 8;
  Index iterations = 200;  // at most; ends when an iteration gains less than a millionth
  std::uint64_t seed = 0;
  std::uint64_t key = 0;  // of the task: which rows these are
  int threads = 0;        // never changes a result
};

struct NonnegativeFactors {
  Matrix factors;      // parts × columns, of length 1; what is largest in the rows first, none of them zero
  Matrix weights;      // rows × parts
  double squares = 0;  // |X - W F|²
};

// std::invalid_argument for rows with negative values.
NonnegativeFactors nonnegative_factors(const MatrixFRef& rows, const FactorOptions& options);

// The weights W ≥ 0 of rows that make |X - W F|² small for these factors.
Matrix nonnegative_weights(const MatrixFRef& rows, const Matrix& factors);

}  // namespace atcav::stats
