#include "core/long_products.h"

#include <algorithm>

#include "core/block_product.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav {
namespace {

constexpr Index kStripe = 1024;  // columns; with 64 rows half a megabyte

template <typename Rows>
Matrix by_stripes(const Rows& a, const MatrixRef& b, int threads) {
  check_same("long_products", "columns", "a", a.cols(), "b", b.cols());
  constexpr Index kStep = kBlockStep<double>;
  const Index width = (b.rows() + kStep - 1) / kStep * kStep;
  const Index stripes = (a.cols() + kStripe - 1) / kStripe;
  Matrix parts = Matrix::Zero(stripes * a.rows(), width);
  parallel_for(stripes, threads, [&](Index stripe) {
    const Index first = stripe * kStripe;
    const Index count = std::min(kStripe, a.cols() - first);
    const Matrix left = a.middleCols(first, count).template cast<double>();
    Matrix right = Matrix::Zero(count, width);
    right.leftCols(b.rows()) = b.middleCols(first, count).transpose();
    add_product(left.data(), a.rows(), count, right.data(), width, parts.row(stripe * a.rows()).data());
  });
  Matrix products = Matrix::Zero(a.rows(), b.rows());
  for (Index stripe = 0; stripe < stripes; ++stripe)
    products += parts.block(stripe * a.rows(), 0, a.rows(), b.rows());
  return products;
}

}  // namespace

Matrix long_products(const MatrixFRef& a, const MatrixRef& b, int threads) {
  return by_stripes(a, b, threads);
}

Matrix long_products(const MatrixRef& a, const MatrixRef& b, int threads) {
  return by_stripes(a, b, threads);
}

}  // namespace atcav
