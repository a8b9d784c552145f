#pragma once

#include <algorithm>

#include "atcav/matrix.h"

// Rows of d columns in few numbers that keep their inner products, well enough to tell copies from others:
// column c, with a random sign of its own, is added to place c mod kSketchColumns. On average products stay
// as they are, with a standard error of about |x||y|/√kSketchColumns; with no more columns than places they
// are exact. Costs one addition per number and keeps no row.
namespace atcav::pass {

inline constexpr Index kSketchColumns = 256;
// Of larger sets no sketch is kept.
inline constexpr Index kMostSketchedRows = 65'536;

// Places that rows of d columns are added up in.
inline Index sketch_columns(Index d) { return std::min(d, kSketchColumns); }

// One row of sketch_columns(d) for each row.
MatrixF sketch_rows(const MatrixFRef& rows, int threads);

}  // namespace atcav::pass
