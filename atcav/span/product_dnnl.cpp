#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include <stdexcept>

#include "atcav/span/product.h"

namespace atcav::span {
namespace {

void sgemm(char transpose_b, const MatrixFRef& a, const MatrixFRef& b, MatrixFOut& c) {
  const auto status = dnnl_sgemm('N', transpose_b, c.rows(), c.cols(), a.cols(), 1.F, a.data(),
                                 a.outerStride(), b.data(), b.outerStride(), 1.F, c.data(), c.outerStride());
  if (status != dnnl_success) throw std::runtime_error("[add_product] dnnl_sgemm failed");
}

}  // namespace

void add_product(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) { sgemm('N', a, b, c); }

void add_row_products(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) { sgemm('T', a, b, c); }

std::map<std::string, std::string> product_libraries() {
  const dnnl_version_t& dnnl = *dnnl_version();
  return {{"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"oneDNN", fmt::format("{}.{}.{}", dnnl.major, dnnl.minor, dnnl.patch)}};
}

}  // namespace atcav::span
