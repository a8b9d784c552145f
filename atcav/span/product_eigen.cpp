#include "atcav/span/product.h"

namespace atcav::span {

void add_product(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) { c.noalias() += a * b; }

void add_row_products(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) {
  c.noalias() += a * b.transpose();
}

}  // namespace atcav::span
