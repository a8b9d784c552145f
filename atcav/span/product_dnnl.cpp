#include <oneapi/dnnl/dnnl.h>

#include <stdexcept>

#include "atcav/span/product.h"

namespace atcav::span {

void add_product(const MatrixFRef& a, const MatrixFRef& b, Eigen::Ref<MatrixF, 0, Eigen::OuterStride<>> c) {
  const auto status = dnnl_sgemm('N', 'T', a.rows(), b.rows(), a.cols(), 1.F, a.data(), a.outerStride(),
                                 b.data(), b.outerStride(), 1.F, c.data(), c.outerStride());
  if (status != dnnl_success) throw std::runtime_error("[add_product] dnnl_sgemm failed");
}

}  // namespace atcav::span
