#pragma once

#include <Eigen/Core>
#include <map>
#include <string>

#include "atcav/matrix.h"

// The two products of the pass: c += a b and c += a bᵀ, for matrices whose rows may lie apart.
//
// In float it is oneDNN's sgemm, which picks its kernels for the processor at run time, or Eigen where oneDNN
// is not installed. oneDNN is not linked: the first float product opens it, so programs that never multiply
// do not load it or its OpenMP. Each product runs in the calling thread alone. Inner sizes of about
// kProductColumns are fast and lose little to rounding; longer sums are made of such pieces and added up in
// double.
namespace atcav::pass {

inline constexpr Index kProductColumns = 512;

using MatrixOut = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
using MatrixFOut = Eigen::Ref<MatrixF, 0, Eigen::OuterStride<>>;

// a: m × k, b: k × n, c: m × n.
void add_product(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c);
inline void add_product(const MatrixRef& a, const MatrixRef& b, MatrixOut c) { c.noalias() += a * b; }

// a: m × k, b: n × k, c: m × n: rows with rows.
void add_row_products(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c);
void add_row_products(const MatrixRef& a, const MatrixRef& b, MatrixOut c);

// The libraries behind the products, with their versions: Eigen, and oneDNN where it multiplies. Opens it.
std::map<std::string, std::string> product_libraries();

}  // namespace atcav::pass
