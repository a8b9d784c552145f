#include "atcav/span/product.h"

namespace atcav::span {

void add_product(const MatrixRef& a, const MatrixRef& b, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> c) {
  c.noalias() += a * b.transpose();
}

}  // namespace atcav::span
