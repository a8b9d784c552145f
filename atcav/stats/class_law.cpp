#include "atcav/stats/class_law.h"

#include <fmt/format.h>

#include "atcav/base/check.h"

namespace atcav::stats {

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

}  // namespace atcav::stats
