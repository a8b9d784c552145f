#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "atcav/discover.h"
#include "atcav/report.h"
#include "bind.h"
#include "pipeline/discover_options.h"
#include "report/discover.h"
#include "running.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

// Of what finds candidates, what is not given stays as DiscoverConfig has it.
Discovered discover(const py::object& network,
                    const std::vector<std::tuple<std::string, std::string, std::string>>& classes,
                    const std::vector<std::pair<std::string, std::string>>& concepts,
                    const std::optional<Index>& candidates, const std::optional<std::string>& finder,
                    const std::optional<std::string>& dictionary, const std::optional<double>& merge,
                    const std::optional<Index>& positions, const py::dict& options, const py::object& tell) {
  const Running running;
  DiscoverConfig config;
  config.run = config_of(options);
  for (const auto& [name, target, path] : classes)
    config.run.classes.push_back({name, read_target(target), path});
  for (const auto& [name, path] : concepts) config.run.concepts.push_back({name, path});
  config.candidates = candidates.value_or(config.candidates);
  if (finder) config.finder = read_finder(*finder);
  config.dictionary = dictionary.value_or("");
  config.merge = merge.value_or(config.merge);
  config.positions = positions.value_or(config.positions);
  const auto model = network.is_none() ? nullptr : python_model(network);
  const Progress progress = progress_to(tell);
  const py::gil_scoped_release unlocked;
  const InterruptCheck check(check_signals);
  return told_in_keywords([&] { return atcav::discover(config, progress, model); });
}

// Of each candidate, as results.json has them in a row.
py::list directions(const Discovered& found) {
  py::list all;
  for (const Candidate& one : found.candidates)
    all.append(py::array_t<double>(one.direction.size(), one.direction.data()));
  return all;
}

std::string timings_json(const Discovered& found) {
  RunResult times;
  static_cast<RunInfo&>(times) = found;
  return report::timings_json(times);
}

py::dict discover_defaults() {
  const DiscoverConfig config;
  return py::dict("candidates"_a = config.candidates, "finder"_a = std::string(name(config.finder)),
                  "merge"_a = config.merge);
}

}  // namespace

void bind_discover(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<Discovered>(module, "Discovered")
      .def("json", &report::discover_json, Unlocked())
      .def("timings_json", &timings_json, Unlocked())
      .def("table", &report::discover_table, Unlocked())
      .def(
          "report_files", [](const Discovered& found) { return discover_files("", found, ""); }, Unlocked())
      .def("directions", &directions);
  module.def("discover", &discover, "network"_a, "classes"_a, "concepts"_a, "candidates"_a, "finder"_a,
             "dictionary"_a, "merge"_a, "positions"_a, "options"_a, "progress"_a);
  module.def("discover_defaults", &discover_defaults);
  module.def("discover_options", [] { return kOptionsOfDiscover; });
}

}  // namespace atcav::python
