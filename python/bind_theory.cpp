#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <cmath>
#include <string>

#include "atcav/planning.h"
#include "atcav/theory.h"
#include "bind.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

// (mean, standard deviation)
py::tuple mean_and_sd(const auto& law) { return py::make_tuple(law.mean, std::sqrt(law.variance)); }

py::dict plan_dict(const stats::Plan& plan) {
  return py::dict("possible"_a = plan.possible, "n_random"_a = plan.n_random, "n_concept"_a = plan.n_concept,
                  "standard_error"_a = plan.standard_error, "reason"_a = plan.reason);
}

py::dict error_dict(const stats::ErrorPrediction& found) {
  return py::dict("error"_a = found.error, "threshold"_a = found.threshold.value,
                  "reversed"_a = found.threshold.reversed, "random"_a = mean_and_sd(found.random),
                  "concept"_a = mean_and_sd(found.of_concept));
}

stats::CavLaw cav_law(const stats::TwoClasses& classes, const std::string& method) {
  const stats::CavMethod parsed = stats::parse_cav_method(method);
  if (parsed == stats::CavMethod::kPattern) return stats::pattern_law(classes);
  if (parsed == stats::CavMethod::kFast) return stats::fast_law(classes);
  throw std::invalid_argument(fmt::format("[theory] method is '{}', must be pattern or fast", method));
}

stats::TwoClasses two_classes(const Vector& mean_random, const Matrix& covariance_random,
                              const Vector& mean_concept, const Matrix& covariance_concept, Index n_random,
                              Index n_concept) {
  return {{mean_random, covariance_random}, {mean_concept, covariance_concept}, n_random, n_concept};
}

py::dict ridge_dict(const stats::TwoClasses& classes, double lambda, double concept_weight, bool centred) {
  const stats::RidgeEquivalent ridge = stats::ridge_equivalent(classes, lambda, {.centred = centred});
  py::dict result("mean"_a = ridge.mean, "total_variance"_a = stats::ridge_total_variance(classes, ridge),
                  "delta_random"_a = ridge.delta_random, "delta_concept"_a = ridge.delta_concept,
                  "converged"_a = ridge.converged, "iterations"_a = ridge.iterations,
                  "resolvent"_a = ridge.resolvent);
  const py::dict error = error_dict(stats::predict_ridge_error(classes, ridge, concept_weight));
  for (const auto& item : error) result[item.first] = item.second;
  return result;
}

void bind_laws(py::module_& module) {
  const char* model =
      "\nmu: sensitivity under the population's CAV; sigma: noise of one example; samples: the whole\n"
      "budget of examples. Gives (mean, standard deviation).";
  module.def(
      "tcav_law",
      [](double mu, double sigma, double samples) {
        return mean_and_sd(stats::tcav_moments({mu, sigma, samples}));
      },
      "mu"_a, "sigma"_a, "samples"_a, (std::string("Law of TCAV.") + model).c_str());
  module.def(
      "multi_tcav_law",
      [](double mu, double sigma, double samples, Index runs) {
        return mean_and_sd(stats::multi_tcav_moments({mu, sigma, samples}, runs));
      },
      "mu"_a, "sigma"_a, "samples"_a, "runs"_a,
      (std::string("Law of the mean of `runs` TCAVs that share the budget.") + model).c_str());
  module.def(
      "alpha_tcav_law",
      [](double mu, double sigma, double samples, double alpha, bool approximate) {
        const stats::ScoreModel of{mu, sigma, samples};
        return mean_and_sd(approximate ? stats::alpha_tcav_moments_approximate(of, alpha)
                                       : stats::alpha_tcav_moments(of, alpha));
      },
      "mu"_a, "sigma"_a, "samples"_a, "alpha"_a, "approximate"_a = false,
      (std::string("Law of alpha-TCAV, by quadrature or by the paper's approximation.") + model).c_str());
  module.def("variance_ratio", &stats::variance_ratio, "runs"_a, "run_signal"_a = 0.0,
             "Variance of alpha*-TCAV over that of the Multi-TCAV it imitates, exactly; run_signal is\n"
             "sqrt(n) mu / sigma of one run.");
  module.def("variance_ratio_approximate", &stats::variance_ratio_approximate, "runs"_a,
             "The paper's approximation, which depends on the number of runs alone.");
  module.def(
      "plan_random",
      [](double v1, double v2, double error, Index n) {
        return plan_dict(stats::plan_random({v1, v2}, error, n));
      },
      "variance_random"_a, "variance_concept"_a, "standard_error"_a, "n_concept"_a,
      "Fewest random examples beside n_concept for this standard error. The variances are those of a pilot:\n"
      "`n_random * effect.error.random**2` and `n_concept * effect.error.concept**2` of its result.");
  module.def(
      "plan_concept",
      [](double v1, double v2, double error, Index n) {
        return plan_dict(stats::plan_concept({v1, v2}, error, n));
      },
      "variance_random"_a, "variance_concept"_a, "standard_error"_a, "n_random"_a,
      "Fewest concept examples beside n_random for this standard error.");
  module.def(
      "plan_cheapest",
      [](double v1, double v2, double error, double cost_random, double cost_concept) {
        const stats::Plan plan = stats::plan_cheapest({v1, v2}, error, {cost_random, cost_concept});
        py::dict result = plan_dict(plan);
        result["cost"] = plan.cost;
        return result;
      },
      "variance_random"_a, "variance_concept"_a, "standard_error"_a, "cost_random"_a = 1.0,
      "cost_concept"_a = 1.0, "The cheapest pair of numbers of examples for this standard error.");
}

}  // namespace

void bind_theory(py::module_& module) {
  bind_laws(module);
  module.def("toeplitz_covariance", &stats::toeplitz_covariance, "d"_a, "rho"_a,
             "rho^|i-j|, the covariance of the paper's synthetic data.");
  py::class_<stats::TwoClasses>(
      module, "TwoClasses",
      "What is assumed of the activations: means and covariances of random and concept\n"
      "examples, and how many of each a CAV is fitted on.")
      .def(py::init(&two_classes), "mean_random"_a, "covariance_random"_a, "mean_concept"_a,
           "covariance_concept"_a, "n_random"_a, "n_concept"_a)
      .def(
          "cav_law",
          [](const stats::TwoClasses& classes, const std::string& method) {
            const stats::CavLaw law = cav_law(classes, method);
            return py::make_tuple(law.mean, law.covariance);
          },
          "method"_a = "pattern", "(mean, covariance) of a pattern or fast CAV.")
      .def(
          "predict_error",
          [](const stats::TwoClasses& classes, const std::string& method, double weight) {
            return error_dict(stats::predict_error(classes, cav_law(classes, method), weight));
          },
          "method"_a = "pattern", "concept_weight"_a = 0.5,
          "Classification error of a CAV before any is fitted: error, threshold, and (mean, standard\n"
          "deviation) of the scores of both classes.")
      .def("ridge", &ridge_dict, "lambda_"_a = 1.0, "concept_weight"_a = 0.5, "centred"_a = true,
           "Ridge in high dimension: mean and total variance of the CAV, its deterministic equivalent, and\n"
           "the classification error as in predict_error. centred=False is the paper's form.");
}

}  // namespace atcav::python
