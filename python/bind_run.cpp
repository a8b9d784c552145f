#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "atcav/report/json.h"
#include "atcav/run/arrays.h"
#include "atcav/run/option_table.h"
#include "bind.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using Array = py::array_t<float, py::array::c_style>;
using NamedArrays = std::vector<std::pair<std::string, Array>>;
using Texts = std::vector<std::pair<std::string, std::vector<std::string>>>;  // options as typed

Eigen::Map<const MatrixF> view(const Array& array) { return {array.data(), array.shape(0), array.shape(1)}; }

std::vector<NamedRows> views(const NamedArrays& arrays) {
  std::vector<NamedRows> rows;
  for (const auto& [name, array] : arrays) rows.push_back({name, view(array)});
  return rows;
}

// Ctrl-C stops the work: Python only notes it while C++ runs.
void check_signals(const std::string& /*stage*/, Index /*done*/, Index /*total*/) {
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// Arrays are used where NumPy keeps them; the caller of the module holds them meanwhile.
std::string score(const NamedArrays& concepts, const Array& random, const NamedArrays& gradients,
                  const std::string& layer, const Texts& options) {
  Config config;
  for (const auto& [key, texts] : options) find_option(key).set(config, texts);
  const std::vector<NamedRows> concept_rows = views(concepts);
  const std::vector<NamedRows> gradient_rows = views(gradients);
  const auto random_rows = view(random);
  const py::gil_scoped_release unlocked;
  return report::results_json(
      atcav::score(concept_rows, random_rows, gradient_rows, config.options, layer, check_signals));
}

// (keyword, help) of every option that scores of arrays have.
std::vector<std::pair<std::string, std::string>> score_options() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Option& option : option_table()) {
    const bool statistics = option.group == OptionGroup::kStatistics || option.key == "threads";
    if (option.of_score && statistics) found.emplace_back(option.key, option.help);
  }
  return found;
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("score", &score, py::arg("concepts"), py::arg("random"), py::arg("gradients"), py::arg("layer"),
             py::arg("options"));
  module.def("score_options", &score_options);
}

}  // namespace atcav::python
