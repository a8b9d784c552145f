#pragma once

#include "atcav/base/matrix.h"

// Rows less the centre, and their sums, in one reading: the part of the pass that only memory limits.
namespace atcav::span {

// A piece of a batch: `count` rows of `width` columns, the rows `stride` values apart.
struct RowPiece {
  const float* data = nullptr;
  Index count = 0;
  Index width = 0;
  Index stride = 0;
};

// tile (count × width) becomes x_i - c, and x_i - c is added to row (first + i) mod k of sums (k × width);
// all are stored by rows without gaps. `centre` has width values. In float it is compiled for several
// processors and the best one is chosen when the program starts; the results are the same.
void centre_rows(const RowPiece& rows, const float* centre, Index first, Index folds, float* tile,
                 float* sums);
void centre_rows(const RowPiece& rows, const float* centre, Index first, Index folds, double* tile,
                 double* sums);

}  // namespace atcav::span
