#pragma once

#include "atcav/matrix.h"

// c = a·b, for a matrix a and a block b of many right-hand sides, as fast as the processor allows
// in a portable program: the kernel is compiled for several processors (core/cpu_clones.h), where Eigen's is
// for the oldest.
//
// A column of c depends on a and on its own column of b alone, to the last bit: which other columns share the
// block changes nothing.
namespace atcav {

// Columns of b and c are padded to a multiple of this.
template <typename Scalar>
inline constexpr Index kBlockStep = 64 / sizeof(Scalar);
constexpr Index padded_width(Index columns) {
  return (columns + kBlockStep<double> - 1) / kBlockStep<double> * kBlockStep<double>;
}

// a: m × k, b: k × w, c: m × w, with w a multiple of kBlockStep.
// Threads (0: all available) share the rows of a.
void multiply_block(const Matrix& a, const Matrix& b, Matrix& c, int threads = 1);
void multiply_block(const MatrixF& a, const MatrixF& b, MatrixF& c, int threads = 1);

// c += a·b on this thread, row after row: a: rows × inner, b: inner × width, c: rows × width. A row's sum is
// the same whichever other rows there are.
void add_product(const double* a, Index rows, Index inner, const double* b, Index width, double* c);

// x·xᵀ, on several threads (0: all available), the same for any number of them.
Matrix row_products(const Matrix& x, int threads);

}  // namespace atcav
