#include "atcav/base/block_product.h"

#include <algorithm>

#include "atcav/base/cpu_clones.h"
#include "atcav/base/parallel.h"

namespace atcav {
namespace {

// As many numbers as the widest registers hold; narrower processors use several registers for one.
template <typename Scalar>
struct Wide;
template <>
struct Wide<double> {
  using Lanes [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;
};
template <>
struct Wide<float> {
  using Lanes [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;
};
constexpr Index kDeep = 384;  // rows of b at a time: they stay in the second-level cache

// Rows × Vectors·lanes numbers of c in registers, over `inner` columns of a.
template <int Rows, int Vectors, typename Scalar>
[[gnu::always_inline]] inline void multiply_tile(const Scalar* a, Index stride_a, Index inner,
                                                 const Scalar* b, Index width, Scalar* c, Index stride_c) {
  using Lanes = typename Wide<Scalar>::Lanes;
  constexpr Index kStep = kBlockStep<Scalar>;
  Lanes sums[Rows][Vectors];
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Vectors; ++j)
      sums[i][j] = *reinterpret_cast<const Lanes*>(c + i * stride_c + j * kStep);
  }
  for (Index k = 0; k < inner; ++k) {
    Lanes right[Vectors];
    for (int j = 0; j < Vectors; ++j) right[j] = *reinterpret_cast<const Lanes*>(b + k * width + j * kStep);
    for (int i = 0; i < Rows; ++i) {
      const Scalar left = a[i * stride_a + k];
      for (int j = 0; j < Vectors; ++j) sums[i][j] += left * right[j];
    }
  }
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Vectors; ++j) *reinterpret_cast<Lanes*>(c + i * stride_c + j * kStep) = sums[i][j];
  }
}

template <int Vectors, typename Scalar>
[[gnu::always_inline]] inline void multiply_panel(const Scalar* a, Index rows, Index inner, const Scalar* b,
                                                  Index width, Scalar* c) {
  constexpr int kRows = 6;
  for (Index k = 0; k < inner; k += kDeep) {
    const Index deep = std::min(kDeep, inner - k);
    Index i = 0;
    for (; i + kRows <= rows; i += kRows)
      multiply_tile<kRows, Vectors>(a + i * inner + k, inner, deep, b + k * width, width, c + i * width,
                                    width);
    if (i == rows) continue;
    // The last rows in a tile of the same shape: another one might be rounded differently.
    constexpr Index kWidth = Vectors * kBlockStep<Scalar>;
    Scalar left[kRows * kDeep] = {};
    Scalar sums[kRows * kWidth] = {};
    for (Index r = i; r < rows; ++r) {
      std::copy_n(a + r * inner + k, deep, left + (r - i) * kDeep);
      std::copy_n(c + r * width, kWidth, sums + (r - i) * kWidth);
    }
    multiply_tile<kRows, Vectors>(left, kDeep, deep, b + k * width, width, sums, kWidth);
    for (Index r = i; r < rows; ++r) std::copy_n(sums + (r - i) * kWidth, kWidth, c + r * width);
  }
}

template <typename Scalar>
[[gnu::always_inline]] inline void multiply_panels(const Scalar* a, Index rows, Index inner, const Scalar* b,
                                                   Index width, Scalar* c) {
  constexpr Index kStep = kBlockStep<Scalar>;
  Index j = 0;
  for (; j + 4 * kStep <= width; j += 4 * kStep) multiply_panel<4>(a, rows, inner, b + j, width, c + j);
  for (; j + 2 * kStep <= width; j += 2 * kStep) multiply_panel<2>(a, rows, inner, b + j, width, c + j);
  for (; j < width; j += kStep) multiply_panel<1>(a, rows, inner, b + j, width, c + j);
}

// Clones are made of functions, not of templates.
ATCAV_CPU_CLONES
void multiply_columns(const double* a, Index rows, Index inner, const double* b, Index width, double* c) {
  multiply_panels(a, rows, inner, b, width, c);
}
ATCAV_CPU_CLONES
void multiply_float_columns(const float* a, Index rows, Index inner, const float* b, Index width, float* c) {
  multiply_panels(a, rows, inner, b, width, c);
}

}  // namespace

void multiply_block(const Matrix& a, const Matrix& b, Matrix& c) {
  c.setZero(a.rows(), b.cols());
  multiply_columns(a.data(), a.rows(), a.cols(), b.data(), b.cols(), c.data());
}

void multiply_block(const MatrixF& a, const MatrixF& b, MatrixF& c) {
  c.setZero(a.rows(), b.cols());
  multiply_float_columns(a.data(), a.rows(), a.cols(), b.data(), b.cols(), c.data());
}

Matrix row_products(const Matrix& x, int threads) {
  constexpr Index kWidth = 32;
  const Index n = x.rows();
  Matrix products(n, n);
  parallel_for((n + kWidth - 1) / kWidth, threads, [&](Index block) {
    const Index first = block * kWidth;
    const Index count = std::min(kWidth, n - first);
    Matrix right = Matrix::Zero(x.cols(), kWidth);
    right.leftCols(count) = x.middleRows(first, count).transpose();
    Matrix result = Matrix::Zero(n, kWidth);
    // The upper triangle; the other is its mirror image.
    const Index rows = first + count;
    multiply_columns(x.data(), rows, x.cols(), right.data(), kWidth, result.data());
    products.block(0, first, rows, count) = result.topLeftCorner(rows, count);
  });
  products.triangularView<Eigen::StrictlyLower>() = products.transpose();
  return products;
}

}  // namespace atcav
