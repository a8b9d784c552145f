#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "atcav/stats/alpha.h"
#include "atcav/stats/cav.h"
#include "atcav/stats/posterior.h"
#include "atcav/stats/score.h"
#include "atcav/stats/significance.h"
#include "bind.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
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
  const auto array = [](const std::vector<double>& values) {
    return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
  };
  return py::make_tuple(array(profile.alpha), array(profile.score));
}

}  // namespace

void bind_stats(py::module_& module) {
  module.def("fit_cav", &fit_cav, py::arg("random"), py::arg("concept"), py::arg("method"),
             py::arg("lambda_"), py::arg("cost"), py::arg("centred"));
  module.def("tcav", &stats::tcav, py::arg("s"), Unlocked(),
             "Share of inputs with sensitivity s > 0 (Kim et al. 2018). An exact zero is not positive.");
  module.def("alpha_tcav", &alpha_tcav, py::arg("s"), py::arg("alpha"), py::arg("gamma") = py::none(),
             Unlocked(),
             "Mean of sigmoid(alpha * s / gamma). gamma is the root mean square of s unless given; alpha\n"
             "may be infinite, then it is the share of s > 0 with zeros counted one half.");
  module.def("empirical_bayes", &empirical_bayes, py::arg("s"), py::arg("se"),
             "(probability, tau_squared): how probable is it that the concept pushes each input's logit up,\n"
             "from sensitivities s and their standard errors se, with true sensitivities from N(0, tau^2).\n"
             "tau_squared = 0 gives one half everywhere: no evidence that the concept matters.");
  module.def("sensitivity_profile", &sensitivity_profile, py::arg("s"),
             "(alpha, score): alpha-TCAV for alpha from 0.1 to 100, ten per decade.");
  module.def("bonferroni", &stats::bonferroni, py::arg("p"));
  module.def("benjamini_hochberg", &stats::benjamini_hochberg, py::arg("p"));
}

}  // namespace atcav::python
