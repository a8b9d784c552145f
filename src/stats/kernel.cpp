#include "stats/kernel.h"

#include <utility>

#include "core/block_product.h"
#include "core/parallel.h"

namespace atcav::stats {

template <typename Values>
Values Kernel::Factors<Values>::times(const Values& block, int threads) const {
  Values product;
  if (products.size() > 0) {
    multiply_block(products, block, product, threads);
  } else {
    Values inner;
    multiply_block(transposed, block, inner, threads);
    multiply_block(rows, inner, product, threads);
  }
  return product;
}

template <typename Values>
std::vector<Vector> Kernel::Factors<Values>::times(const std::vector<const Vector*>& vectors,
                                                   int threads) const {
  using Scalar = typename Values::Scalar;
  const Index count = std::ssize(vectors);
  std::vector<Vector> found(vectors.size());
  if (count == 0) return found;
  const Index width = (count + kBlockStep<Scalar> - 1) / kBlockStep<Scalar> * kBlockStep<Scalar>;
  Values block = Values::Zero(vectors.front()->size(), width);
  for (Index i = 0; i < count; ++i)
    block.col(i) = vectors[static_cast<std::size_t>(i)]->template cast<Scalar>();
  const Values product = times(block, threads);
  parallel_for(count, threads,
               [&](Index i) { found[static_cast<std::size_t>(i)] = product.col(i).template cast<double>(); });
  return found;
}

Kernel Kernel::of_rows(Matrix rows, int threads) {
  if (2 * rows.cols() >= rows.rows()) return of_products(row_products(rows, threads), threads);
  Kernel kernel;
  kernel.diagonal_ = rows.rowwise().squaredNorm();
  kernel.exact_.transposed = rows.transpose();
  kernel.rough_.rows = rows.cast<float>();
  kernel.rough_.transposed = kernel.exact_.transposed.cast<float>();
  kernel.exact_.rows = std::move(rows);
  return kernel;
}

Kernel Kernel::of_products(Matrix products, int threads) {
  Kernel kernel;
  kernel.diagonal_ = products.diagonal();
  kernel.rough_.products.resize(products.rows(), products.cols());
  parallel_for(products.rows(), threads,
               [&](Index i) { kernel.rough_.products.row(i) = products.row(i).cast<float>(); });
  kernel.exact_.products = std::move(products);
  return kernel;
}

std::vector<Vector> Kernel::times(const std::vector<const Vector*>& vectors, bool in_float,
                                  int threads) const {
  return in_float ? rough_.times(vectors, threads) : exact_.times(vectors, threads);
}

Matrix Kernel::times(const Matrix& block, int threads) const { return exact_.times(block, threads); }

bool Kernel::is_large() const {
  constexpr Index kStaysInCache = Index{3} << 20;
  return rough_.products.size() + rough_.rows.size() > kStaysInCache;
}

}  // namespace atcav::stats
