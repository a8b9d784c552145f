#include "atcav/stats/toeplitz.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/base/check.h"

namespace atcav::stats {
namespace {

void check_rho(const char* function, double rho) {
  if (!(rho > -1 && rho < 1))
    fail_argument(function, fmt::format("rho is {}, must be between -1 and 1", rho));
}

}  // namespace

Matrix toeplitz_covariance(Index d, double rho) {
  check_at_least("toeplitz_covariance", "d", d, 1);
  check_rho("toeplitz_covariance", rho);
  Matrix covariance(d, d);
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) covariance(i, j) = std::pow(rho, static_cast<double>(std::abs(i - j)));
  }
  return covariance;
}

Matrix sample_toeplitz(const VectorRef& mean, double rho, Index rows, Stream& stream) {
  check_at_least("sample_toeplitz", "d", mean.size(), 1);
  check_at_least("sample_toeplitz", "rows", rows, 0);
  check_rho("sample_toeplitz", rho);
  Matrix values = stream.normal_matrix(rows, mean.size());
  const double fresh = std::sqrt((1 - rho) * (1 + rho));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 1; j < mean.size(); ++j) values(i, j) = rho * values(i, j - 1) + fresh * values(i, j);
  }
  values.rowwise() += mean.transpose();
  return values;
}

}  // namespace atcav::stats
