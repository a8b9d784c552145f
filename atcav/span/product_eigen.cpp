#include <fmt/format.h>

#include "atcav/span/product.h"

namespace atcav::span {

void add_product(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) { c.noalias() += a * b; }

void add_row_products(const MatrixFRef& a, const MatrixFRef& b, MatrixFOut c) {
  c.noalias() += a * b.transpose();
}

std::map<std::string, std::string> product_libraries() {
  return {{"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)}};
}

}  // namespace atcav::span
