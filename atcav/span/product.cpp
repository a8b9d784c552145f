#include "atcav/span/product.h"

namespace atcav::span {

void add_product(const MatrixRef& a, const MatrixRef& b, MatrixOut c) { c.noalias() += a * b; }

void add_row_products(const MatrixRef& a, const MatrixRef& b, MatrixOut c) {
  c.noalias() += a * b.transpose();
}

}  // namespace atcav::span
