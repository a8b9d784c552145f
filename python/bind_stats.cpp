#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "atcav/accuracy.h"
#include "atcav/cav.h"
#include "atcav/interval.h"
#include "atcav/posterior.h"
#include "atcav/score.h"
#include "bind.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using Unlocked = py::call_guard<py::gil_scoped_release>;

py::tuple fit_cav(const MatrixRef& random, const MatrixRef& concept_rows, const std::string& method,
                  double lambda, double cost, bool centred) {
  stats::Cav cav;
  {
    const py::gil_scoped_release unlocked;
    cav = stats::fit_cav(random, concept_rows, {stats::parse_cav_method(method), lambda, cost, centred});
  }
  return py::make_tuple(cav.direction, cav.intercept, cav.converged);
}

double alpha_tcav(const VectorRef& s, double alpha, std::optional<double> gamma) {
  return stats::alpha_tcav(s, alpha, gamma ? *gamma : stats::root_mean_square(s));
}

py::tuple empirical_bayes(const VectorRef& s, const VectorRef& se) {
  const stats::EmpiricalBayes found = stats::empirical_bayes(s, se);
  return py::make_tuple(found.probability, found.tau_squared);
}

py::tuple sensitivity_profile(const VectorRef& s) {
  const stats::Profile profile = stats::sensitivity_profile(s);
  return py::make_tuple(Vector(Eigen::Map<const Vector>(profile.alpha.data(), std::ssize(profile.alpha))),
                        Vector(Eigen::Map<const Vector>(profile.score.data(), std::ssize(profile.score))));
}

py::tuple pair(const stats::Interval& interval) { return py::make_tuple(interval.low, interval.high); }

py::dict reliability(const VectorRef& probabilities, const VectorRef& outcomes, int bins) {
  const stats::Reliability found = stats::reliability(probabilities, outcomes, bins);
  py::list listed;
  for (const stats::ReliabilityBin& bin : found.bins)
    listed.append(py::make_tuple(bin.mean_probability, bin.share_true, bin.count));
  return py::dict("bins"_a = listed, "expected_calibration_error"_a = found.expected_calibration_error,
                  "brier"_a = found.brier);
}

void bind_scores(py::module_& module) {
  module.def("tcav", &stats::tcav, "s"_a, Unlocked(),
             "Share of inputs with sensitivity s > 0 (Kim et al. 2018). An exact zero is not positive.");
  module.def("magnitude", &stats::magnitude, "s"_a, Unlocked(),
             "Mean sensitivity: what other tools call magnitude.");
  module.def("alpha_tcav", &alpha_tcav, "s"_a, "alpha"_a, "gamma"_a = py::none(), Unlocked(),
             "Mean of sigmoid(alpha * s / gamma). gamma is the root mean square of s unless given; alpha\n"
             "may be infinite, then it is the share of s > 0 with zeros counted one half.");
  module.def("sensitivity_profile", &sensitivity_profile, "s"_a,
             "(alpha, score): alpha-TCAV for alpha from 0.1 to 100, ten per decade.");
  module.def("gamma", &stats::root_mean_square, "s"_a, Unlocked(),
             "Root mean square of the sensitivities, the scale of alpha.");
  module.def(
      "sigma_effective", &stats::sigma_effective, "s"_a, "examples"_a, Unlocked(),
      "The paper's effective noise: the spread of the sensitivities over inputs times the root of the\n"
      "number of examples behind the CAV.");
  module.def("alpha_star", &stats::alpha_star, "gamma"_a, "sigma"_a, "examples"_a, "runs"_a, Unlocked(),
             "The alpha with which alpha-TCAV has the mean of Multi-TCAV with this many runs, at least 2.");
  module.def("alpha_dagger", &stats::alpha_dagger, "gamma"_a, "sigma"_a, "examples"_a, Unlocked(),
             "The alpha with which alpha-TCAV is a posterior probability under a flat prior.");
}

void bind_uncertainty(py::module_& module) {
  module.def("flat_posterior", &stats::flat_posterior, "s"_a, "se"_a, Unlocked(),
             "Probability that the concept pushes each input's logit up, from sensitivities s and their\n"
             "standard errors se under a flat prior: the normal cdf of s / se.");
  module.def("empirical_bayes", &empirical_bayes, "s"_a, "se"_a,
             "(probability, tau_squared): how probable is it that the concept pushes each input's logit up,\n"
             "from sensitivities s and their standard errors se, with true sensitivities from N(0, tau^2).\n"
             "tau_squared = 0 gives one half everywhere: no evidence that the concept matters.");
  module.def("reliability", &reliability, "probabilities"_a, "outcomes"_a, "bins"_a = 15,
             "Are probabilities honest? {'bins': [(mean probability, share true, count), ...],\n"
             "'expected_calibration_error': ..., 'brier': mean squared distance}; outcomes are 0 or 1.");
  module.def(
      "normal_interval",
      [](double value, double se, double level) { return pair(stats::normal_interval(value, se, level)); },
      "value"_a, "standard_error"_a, "level"_a = 0.95, "(low, high) around a score, cut to [0, 1].");
  module.def(
      "percentile_interval",
      [](std::vector<double> samples, double level) {
        return pair(stats::percentile_interval(std::move(samples), level));
      },
      "samples"_a, "level"_a = 0.95, "(low, high): percentiles of resampled scores.");
  module.def(
      "best_threshold",
      [](const VectorRef& random, const VectorRef& concept_scores) {
        return stats::measure_separation(random, concept_scores, 0).best.value;
      },
      "random_scores"_a, "concept_scores"_a, Unlocked(),
      "The threshold with the least error between normals fitted to the two samples.");
  module.def("auc", &stats::auc, "random_scores"_a, "concept_scores"_a, Unlocked(),
             "Probability that a concept row scores above a random row, ties counted half.");
  module.def(
      "welch_t_test",
      [](const VectorRef& a, const VectorRef& b) {
        const stats::TTest test = stats::welch_t_test(a, b);
        return py::make_tuple(test.statistic, test.degrees, test.p);
      },
      "a"_a, "b"_a,
      "(statistic, degrees of freedom, p), two-sided. Too optimistic for TCAV scores of runs that share\n"
      "their concept examples.");
  module.def("bonferroni", &stats::bonferroni, "p"_a, "min(1, k p) over k tests.");
  module.def("benjamini_hochberg", &stats::benjamini_hochberg, "p"_a,
             "p-values corrected for the expected share of false alarms.");
}

}  // namespace

void bind_stats(py::module_& module) {
  module.def("fit_cav", &fit_cav, "random"_a, "concept"_a, "method"_a, "lambda_"_a, "cost"_a, "centred"_a);
  bind_scores(module);
  bind_uncertainty(module);
}

}  // namespace atcav::python
