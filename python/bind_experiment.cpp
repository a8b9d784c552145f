#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atcav/run/score_sources.h"
#include "atcav/io/sha256.h"
#include "atcav/report/json.h"
#include "bind.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using Array = py::array_t<float, py::array::c_style>;
using NamedArrays = std::vector<std::pair<std::string, Array>>;

// An array where NumPy keeps it. The caller of the module holds the array meanwhile.
class NumpySource : public span::RowSource {
 public:
  NumpySource(std::string name, const Array& array)
      : name_(std::move(name)), values_(array.data(), array.shape(0), array.shape(1)) {}
  std::string name() const override { return name_; }
  Index rows() const override { return values_.rows(); }
  Index columns() const override { return values_.cols(); }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override { rows = values_.middleRows(first, rows.rows()); }
  const float* data() const override { return values_.data(); }
  // There is no file: the hash is of the values.
  Input describe() const {
    io::Sha256 hash;
    hash.update(std::as_bytes(std::span(values_.data(), static_cast<std::size_t>(values_.size()))));
    return {name_, "", hash.hex(), {rows(), columns()}};
  }

 private:
  std::string name_;
  Eigen::Map<const MatrixF> values_;
};

// Options arrive complete, from the keywords of atcav.score.
Options options_of(const py::dict& given) {
  const auto text = [&given](const char* key) { return given[key].cast<std::string>(); };
  Options options;
  options.cav = {stats::parse_cav_method(text("cav")), given["lambda_"].cast<double>(),
                 given["cost"].cast<double>(), given["centred"].cast<bool>()};
  options.alpha = given["alpha"].cast<std::vector<std::string>>();
  options.sigma = parse_sigma(text("sigma"));
  options.runs = given["runs"].cast<Index>();
  options.split = parse_split(text("split"));
  options.interval = parse_interval(text("interval"));
  options.bootstrap = given["bootstrap"].cast<Index>();
  options.permutations = given["permutations"].cast<Index>();
  options.level = given["level"].cast<double>();
  options.seed = given["seed"].cast<std::uint64_t>();
  options.threads = given["threads"].cast<int>();
  options.moments_only = given["moments_only"].cast<bool>();
  return options;
}

// Ctrl-C stops the work: Python only notes it while C++ runs.
void check_signals(const std::string& /*stage*/, Index /*done*/, Index /*total*/) {
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::string score(const NamedArrays& concepts, const Array& random, const NamedArrays& gradients,
                  const std::string& layer, const py::dict& given) {
  const Options options = options_of(given);
  std::deque<NumpySource> arrays;
  const auto add = [&arrays](std::string role, const Array& array) {
    return &arrays.emplace_back(std::move(role), array);
  };
  Sources sources;
  sources.layer = layer;
  sources.random = add("random", random);
  for (const auto& [name, array] : concepts)
    sources.concepts.push_back({name, add(fmt::format("concept '{}'", name), array)});
  for (const auto& [name, array] : gradients)
    sources.gradients.push_back({name, add(fmt::format("gradients '{}'", name), array)});

  const py::gil_scoped_release unlocked;
  RunResult scored = score_sources(sources, options, check_signals);
  for (const NumpySource& array : arrays) scored.inputs.push_back(array.describe());
  warn_of_equal_inputs(scored);
  return report::results_json("score", scored);
}

}  // namespace

void bind_experiment(py::module_& module) {
  module.def("score", &score, py::arg("concepts"), py::arg("random"), py::arg("gradients"), py::arg("layer"),
             py::arg("options"));
}

}  // namespace atcav::python
