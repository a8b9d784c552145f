#include "atcav/span/product.h"

namespace atcav::span {

void add_product(const MatrixFRef& a, const MatrixFRef& b, Eigen::Ref<MatrixF, 0, Eigen::OuterStride<>> c) {
  c.noalias() += a * b.transpose();
}

}  // namespace atcav::span
