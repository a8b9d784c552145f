#include "core/block_product.h"

#include <algorithm>

#include "core/cpu_clones.h"
#include "core/parallel.h"

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
// Rows of b at a time: they stay in the second-level cache. The fewer columns, the more rows, and the longer
// the pieces that a is read in: a narrow product waits for memory.
constexpr Index kDeep = 384;
constexpr Index kDeepest = 3072;
constexpr Index kDeepBytes = Index{192} << 10;
constexpr int kTileRows = 6;
constexpr Index kRowsAtOnce = 8 * Index{kTileRows};  // of a, which stay there too

// Rows × Vectors·lanes numbers of c in registers, over `inner` columns of a. Unrolled at any level of
// optimisation: packagers build with -O2, where they would be in memory, three times slower.
template <int Rows, int Vectors, typename Scalar>
[[gnu::always_inline]] inline void multiply_tile(const Scalar* a, Index stride_a, Index inner,
                                                 const Scalar* b, Index width, Scalar* c, Index stride_c) {
  using Lanes = typename Wide<Scalar>::Lanes;
  constexpr Index kStep = kBlockStep<Scalar>;
  Lanes sums[Rows][Vectors];
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < Vectors; ++j)
      sums[i][j] = *reinterpret_cast<const Lanes*>(c + i * stride_c + j * kStep);
  }
  for (Index k = 0; k < inner; ++k) {
    Lanes right[Vectors];
#pragma GCC unroll 8
    for (int j = 0; j < Vectors; ++j) right[j] = *reinterpret_cast<const Lanes*>(b + k * width + j * kStep);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const Scalar left = a[i * stride_a + k];
#pragma GCC unroll 8
      for (int j = 0; j < Vectors; ++j) sums[i][j] += left * right[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < Vectors; ++j) *reinterpret_cast<Lanes*>(c + i * stride_c + j * kStep) = sums[i][j];
  }
}

// A panel of Vectors·lanes columns, over `deep` columns of some rows of a.
template <int Vectors, typename Scalar>
[[gnu::always_inline]] inline void multiply_panel(const Scalar* a, Index stride_a, Index rows, Index deep,
                                                  const Scalar* b, Index width, Scalar* c) {
  Index i = 0;
  for (; i + kTileRows <= rows; i += kTileRows)
    multiply_tile<kTileRows, Vectors>(a + i * stride_a, stride_a, deep, b, width, c + i * width, width);
  if (i == rows) return;
  // The last rows in a tile of the same shape: another one might be rounded differently.
  constexpr Index kWidth = Vectors * kBlockStep<Scalar>;
  Scalar left[kTileRows * kDeepest];  // as much of it as is used is written below
  Scalar sums[kTileRows * kWidth] = {};
  for (Index r = i; r < rows; ++r) {
    std::copy_n(a + r * stride_a, deep, left + (r - i) * deep);
    std::copy_n(c + r * width, kWidth, sums + (r - i) * kWidth);
  }
  std::fill(left + (rows - i) * deep, left + kTileRows * deep, Scalar{0});
  multiply_tile<kTileRows, Vectors>(left, deep, deep, b, width, sums, kWidth);
  for (Index r = i; r < rows; ++r) std::copy_n(sums + (r - i) * kWidth, kWidth, c + r * width);
}

// Some rows of a meet all columns of b before the next ones are read: a comes from memory once.
template <typename Scalar>
[[gnu::always_inline]] inline void multiply_panels(const Scalar* a, Index rows, Index inner, const Scalar* b,
                                                   Index width, Scalar* c) {
  constexpr Index kStep = kBlockStep<Scalar>;
  const Index most = std::clamp(kDeepBytes / (width * Index{sizeof(Scalar)}), kDeep, kDeepest);
  for (Index k = 0; k < inner; k += most) {
    const Index deep = std::min(most, inner - k);
    for (Index i = 0; i < rows; i += kRowsAtOnce) {
      const Index own = std::min(kRowsAtOnce, rows - i);
      const Scalar* const left = a + i * inner + k;
      const Scalar* const right = b + k * width;
      Scalar* const sums = c + i * width;
      Index j = 0;
      for (; j + 4 * kStep <= width; j += 4 * kStep)
        multiply_panel<4>(left, inner, own, deep, right + j, width, sums + j);
      for (; j + 2 * kStep <= width; j += 2 * kStep)
        multiply_panel<2>(left, inner, own, deep, right + j, width, sums + j);
      for (; j < width; j += kStep) multiply_panel<1>(left, inner, own, deep, right + j, width, sums + j);
    }
  }
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

// Shares of whole tiles, so that each row is in the tile it would be in anyway.
template <typename Values, typename Kernel>
void multiply_rows(const Values& a, const Values& b, Values& c, int threads, Kernel kernel) {
  c.setZero(a.rows(), b.cols());
  const auto share = [&](Index first, Index end) {
    kernel(a.data() + first * a.cols(), end - first, a.cols(), b.data(), b.cols(),
           c.data() + first * b.cols());
  };
  if (threads <= 0) threads = available_threads();
  if (threads == 1) {
    share(0, a.rows());
    return;
  }
  const Index tiles = (a.rows() + kTileRows - 1) / kTileRows;
  const auto shares = std::min<Index>(threads, tiles);
  const auto begin = [&](Index part) { return std::min(part * tiles / shares * kTileRows, a.rows()); };
  parallel_for(shares, threads, [&](Index part) { share(begin(part), begin(part + 1)); });
}

}  // namespace

void multiply_block(const Matrix& a, const Matrix& b, Matrix& c, int threads) {
  multiply_rows(a, b, c, threads, &multiply_columns);
}

void multiply_block(const MatrixF& a, const MatrixF& b, MatrixF& c, int threads) {
  multiply_rows(a, b, c, threads, &multiply_float_columns);
}

void add_product(const double* a, Index rows, Index inner, const double* b, Index width, double* c) {
  multiply_columns(a, rows, inner, b, width, c);
}

Matrix row_products(const Matrix& x, int threads) {
  constexpr Index kMostWidth = 96;
  const Index n = x.rows();
  const Index width = std::min(kMostWidth, padded_width(n));
  Matrix products(n, n);
  parallel_for((n + width - 1) / width, threads, [&](Index block) {
    const Index first = block * width;
    const Index count = std::min(width, n - first);
    Matrix right = Matrix::Zero(x.cols(), width);
    right.leftCols(count) = x.middleRows(first, count).transpose();
    // The upper triangle; the other is its mirror image.
    const Index rows = first + count;
    Matrix result = Matrix::Zero(rows, width);
    multiply_columns(x.data(), rows, x.cols(), right.data(), width, result.data());
    products.block(0, first, rows, count) = result.leftCols(count);
  });
  products.triangularView<Eigen::StrictlyLower>() = products.transpose();
  return products;
}

}  // namespace atcav
