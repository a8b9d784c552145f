#include "atcav/span/centring.h"

#include "atcav/base/cpu_clones.h"

namespace atcav::span {
namespace {

ATCAV_CPU_CLONES
void centre_row(const float* row, const float* centre, Index width, float* tile, float* sums) {
  for (Index j = 0; j < width; ++j) {
    tile[j] = row[j] - centre[j];
    sums[j] += tile[j];
  }
}

void centre_row(const float* row, const float* centre, Index width, double* tile, double* sums) {
  for (Index j = 0; j < width; ++j) {
    tile[j] = static_cast<double>(row[j]) - static_cast<double>(centre[j]);
    sums[j] += tile[j];
  }
}

// The rows of a batch lie far apart, and what follows the last column of a piece is not what is needed next.
void fetch_soon(const float* row, Index width) {
  constexpr Index kLine = 64 / sizeof(float);
  for (Index j = 0; j < width; j += kLine) __builtin_prefetch(row + j);
}

template <typename T>
void centre_all(const RowPiece& rows, const float* centre, Index first, Index folds, T* tile, T* sums) {
  constexpr Index kAhead = 2;
  for (Index i = 0; i < rows.count; ++i) {
    if (i + kAhead < rows.count) fetch_soon(rows.data + (i + kAhead) * rows.stride, rows.width);
    centre_row(rows.data + i * rows.stride, centre, rows.width, tile + i * rows.width,
               sums + (first + i) % folds * rows.width);
  }
}

}  // namespace

void centre_rows(const RowPiece& rows, const float* centre, Index first, Index folds, float* tile,
                 float* sums) {
  centre_all(rows, centre, first, folds, tile, sums);
}

void centre_rows(const RowPiece& rows, const float* centre, Index first, Index folds, double* tile,
                 double* sums) {
  centre_all(rows, centre, first, folds, tile, sums);
}

}  // namespace atcav::span
