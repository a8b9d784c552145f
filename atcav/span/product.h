#pragma once

#include <Eigen/Core>

#include "atcav/base/matrix.h"

// The one product of the pass: c += a bᵀ, rows with rows.
//
// In float it is oneDNN's sgemm, which picks its kernels at run time (product_dnnl.cpp), or Eigen where
// oneDNN was not found (product_eigen.cpp). Each runs in the calling thread when that is a body of
// parallel_for. Both are fastest, and lose least to rounding, when a and b have about
// kProductColumns columns; longer sums are made of such pieces and added up in double.
namespace atcav::span {

inline constexpr Index kProductColumns = 512;

// a: m × k, b: n × k, c: m × n; the rows of each may lie apart.
void add_product(const MatrixFRef& a, const MatrixFRef& b, Eigen::Ref<MatrixF, 0, Eigen::OuterStride<>> c);
void add_product(const MatrixRef& a, const MatrixRef& b, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> c);

}  // namespace atcav::span
