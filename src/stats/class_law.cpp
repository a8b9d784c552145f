#include "stats/class_law.h"

#include <fmt/format.h>

#include <cmath>

#include "core/check.h"

namespace atcav::stats {
namespace {

void check_rho(const char* function, double rho) {
  if (!(rho > -1 && rho < 1))
    fail_argument(function, fmt::format("rho is {}, must be between -1 and 1", rho));
}

}  // namespace

void check_class_law(std::string_view function, std::string_view name, const ClassLaw& law) {
  const std::string covariance = fmt::format("covariance of {}", name);
  const std::string mean = fmt::format("mean of {}", name);
  check_at_least(function, mean + " length", law.mean.size(), 1);
  check_same(function, "rows", covariance, law.covariance.rows(), mean, law.mean.size());
  check_same(function, "columns", covariance, law.covariance.cols(), mean, law.mean.size());
  check_finite(function, mean, Matrix(law.mean));
  check_finite(function, covariance, law.covariance);
  const double largest = law.covariance.cwiseAbs().maxCoeff();
  if ((law.covariance - law.covariance.transpose()).cwiseAbs().maxCoeff() > 1e-9 * largest) {
    fail_argument(function, fmt::format("{} is not symmetric", covariance));
  }
  Index worst = 0;
  if (law.covariance.diagonal().minCoeff(&worst) < 0) {
    fail_argument(function, fmt::format("{} is {} at row {}, column {}, must be >= 0 on the diagonal",
                                        covariance, law.covariance(worst, worst), worst, worst));
  }
}

void check_two_classes(std::string_view function, const TwoClasses& classes) {
  check_class_law(function, "random", classes.random);
  check_class_law(function, "concept", classes.of_concept);
  check_same(function, "values", "mean of random", classes.random.mean.size(), "mean of concept",
             classes.of_concept.mean.size());
  check_at_least(function, "n_random", classes.n_random, 1);
  check_at_least(function, "n_concept", classes.n_concept, 1);
}

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
