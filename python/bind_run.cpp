#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "atcav/atcav.h"
#include "atcav/base/parallel.h"
#include "atcav/report/json.h"
#include "atcav/report/table.h"
#include "atcav/run/option_table.h"
#include "bind.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using Array = py::array_t<float, py::array::c_style>;
using NamedArrays = std::vector<std::pair<std::string, Array>>;
using Texts = std::vector<std::pair<std::string, std::vector<std::string>>>;  // options as typed

Eigen::Map<const MatrixF> view(const Array& array) { return {array.data(), array.shape(0), array.shape(1)}; }

std::vector<NamedRows> views(const NamedArrays& arrays) {
  std::vector<NamedRows> rows;
  for (const auto& [name, array] : arrays) rows.push_back({name, view(array)});
  return rows;
}

Config config_of(const Texts& options) {
  Config config;
  for (const auto& [key, texts] : options) find_option(key).set(config, texts);
  return config;
}

// Work in daemon threads would go on while the interpreter ends, and take its lock when it is gone. At exit
// it is told to stop and waited for.
class Running {
 public:
  Running() {
    ++count();
    stop_at_exit();
  }
  ~Running() { --count(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  static void stop_at_exit() {
    if (!ending()) return;
    PyErr_SetNone(PyExc_SystemExit);  // which a thread ends by without a word
    throw py::error_already_set();
  }
  static void end() {
    using namespace std::chrono_literals;
    ending() = true;
    const py::gil_scoped_release unlocked;
    for (auto waited = 0ms; count() > 0 && waited < 10s; waited += 10ms) std::this_thread::sleep_for(10ms);
  }

 private:
  static std::atomic<bool>& ending() {
    static std::atomic<bool> flag = false;
    return flag;
  }
  static std::atomic<int>& count() {
    static std::atomic<int> number = 0;
    return number;
  }
};

// Ctrl-C stops the work: Python only notes it while C++ runs.
void check_signals() {
  const py::gil_scoped_acquire locked;
  Running::stop_at_exit();
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// `tell` outlives the run, which its caller waits for.
Progress progress_to(const py::object& tell) {
  return [&tell](const std::string& stage, Index done, Index total) {
    check_signals();
    const py::gil_scoped_acquire locked;
    if (!tell.is_none()) tell(stage, done, total);
  };
}

// Arrays are used where NumPy keeps them; the caller of the module holds them meanwhile.
RunResult score(const NamedArrays& concepts, const Array& random, const NamedArrays& gradients,
                const std::string& layer, const Texts& options, const py::object& tell) {
  const Running running;
  const Config config = config_of(options);
  const std::vector<NamedRows> concept_rows = views(concepts);
  const std::vector<NamedRows> gradient_rows = views(gradients);
  const auto random_rows = view(random);
  const Progress progress = progress_to(tell);
  const py::gil_scoped_release unlocked;
  const InterruptCheck check(check_signals);
  return atcav::score(concept_rows, random_rows, gradient_rows, config.options, layer, progress,
                      /*keep_cavs=*/true);
}

// `examples` has what stands behind the paths that are no files.
RunResult run(const py::object& network,
              const std::vector<std::tuple<std::string, Index, std::string>>& classes,
              const std::vector<std::pair<std::string, std::string>>& concepts,
              const std::map<std::string, py::object>& examples, const py::object& directions,
              const Texts& options, const py::object& tell) {
  const Running running;
  Config config = config_of(options);
  for (const auto& [name, target, path] : classes) config.classes.push_back({name, target, path});
  for (const auto& [name, path] : concepts) config.concepts.push_back({name, path});
  Given given;
  if (!network.is_none()) given.network = python_model(network);
  given.examples = [&examples](const std::string& path) -> std::shared_ptr<model::ExampleSource> {
    const py::gil_scoped_acquire locked;
    const auto found = examples.find(path);
    return found == examples.end() ? nullptr : python_examples(found->second);
  };
  if (directions.is_none()) {
    config.save_cavs = "kept";  // in the result; nothing is written
  } else {
    given.directions =
        read_directions(io::read_memory(directions.cast<std::string>(), config.cavs), config.layers);
  }
  const Progress progress = progress_to(tell);
  const py::gil_scoped_release unlocked;
  const InterruptCheck check(check_signals);
  return atcav::run(config, progress, given);
}

// {layer: {concept: direction}}
py::dict cavs(const RunResult& result) {
  py::dict layers;
  for (const LayerCavs& layer : result.cavs) {
    py::dict concepts;
    for (std::size_t c = 0; c < layer.concepts.size(); ++c) {
      const auto row = layer.directions.row(static_cast<Index>(c));
      concepts[py::str(layer.concepts[c])] = py::array_t<float>(row.size(), row.data());
    }
    layers[py::str(layer.layer)] = concepts;
  }
  return layers;
}

// What an option may be told, for keywords, their checks and the documentation.
py::list options() {
  py::list found;
  for (const Option& option : option_table()) {
    const py::object value =
        std::visit([](const auto& held) -> py::object { return py::cast(held); }, option.get(Config()));
    found.append(py::make_tuple(option.key, option.type, option.help, option.of_score, option.of_run,
                                option.repeatable, value,
                                option.group == OptionGroup::kStatistics || option.key == "threads"));
  }
  return found;
}

}  // namespace

void bind_run(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<RunResult>(module, "RunResult")
      .def("json", &report::results_json, Unlocked())
      .def("timings_json", &report::timings_json, Unlocked())
      .def(
          "table", [](const RunResult& result) { return report::results_table(result, {}); }, Unlocked())
      .def(
          "write_report",
          [](const RunResult& result, const std::string& folder) { write_report(folder, result, ""); },
          "folder"_a, Unlocked())
      .def("cavs_file", [](const RunResult& result) { return py::bytes(cavs_file(result)); })
      .def("cavs", &cavs);
  module.def("score", &score, "concepts"_a, "random"_a, "gradients"_a, "layer"_a, "options"_a, "progress"_a);
  module.def("run", &run, "network"_a, "classes"_a, "concepts"_a, "examples"_a, "directions"_a, "options"_a,
             "progress"_a);
  module.def("options", &options);
  py::module_::import("atexit").attr("register")(py::cpp_function(&Running::end));
}

}  // namespace atcav::python
