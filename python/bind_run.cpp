#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "atcav/atcav.h"
#include "atcav/influences.h"
#include "atcav/report.h"
#include "bind.h"
#include "data/file/atomic_file.h"
#include "pipeline/labels.h"
#include "pipeline/option_table.h"
#include "report/compare.h"
#include "report/figures.h"
#include "report/words.h"
#include "running.h"
#include "stats/erasure.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using Array = py::array_t<float, py::array::c_style>;
using NamedArrays = std::vector<std::pair<std::string, Array>>;

Eigen::Map<const MatrixF> view(const Array& array) { return {array.data(), array.shape(0), array.shape(1)}; }

std::vector<NamedRows> views(const NamedArrays& arrays) {
  std::vector<NamedRows> rows;
  for (const auto& [name, array] : arrays) rows.push_back({name, view(array)});
  return rows;
}

// Columns, values, rows and groups, as python/atcav/_labels.py makes them.
using Labels = std::tuple<std::vector<std::string>, py::array_t<double, py::array::c_style>,
                          std::vector<std::string>, std::vector<std::string>>;

LabelTable table_of(const Labels& labels) {
  const auto& [columns, values, rows, groups] = labels;
  LabelTable table;
  table.columns = columns;
  table.values = Eigen::Map<const Matrix>(values.data(), values.shape(0), values.shape(1));
  table.rows = rows;
  table.groups = groups;
  return table;
}

// Arrays are used where NumPy keeps them; the caller of the module holds them meanwhile.
RunResult score(const NamedArrays& concepts, const std::optional<Array>& random,
                const std::optional<Array>& pool, const std::optional<Labels>& labels,
                const NamedArrays& gradients, const std::string& layer, const py::dict& options,
                const py::object& tell) {
  const Running running;
  Config config = config_of(options);
  config.layers = {layer};
  Arrays arrays;
  arrays.concepts = views(concepts);
  arrays.gradients = views(gradients);
  if (random) arrays.random.emplace(view(*random));
  std::optional<LabelTable> table;
  if (labels) table = table_of(*labels);
  const Progress progress = progress_to(tell);
  const py::gil_scoped_release unlocked;
  const InterruptCheck check(check_signals);
  return told_in_keywords([&] {
    if (pool) arrays.pool.emplace(LabelledRows{view(*pool), table ? *table : open_labels(config)});
    return atcav::score(arrays, config, progress, /*keep_cavs=*/true);
  });
}

Directions directions_of(const std::vector<std::tuple<std::string, std::string, Array>>& given,
                         const Config& config) {
  std::vector<NamedDirection> named;
  named.reserve(given.size());
  for (const auto& [layer, concept_name, values] : given)
    named.push_back({layer, concept_name, {values.data(), static_cast<std::size_t>(values.size())}});
  return read_directions(directions_file(named), config.cavs, config.layers);
}

// `examples`, by their role (role_text), has the sets that are no files; their paths are what results.json
// shows.
RunResult run(const py::object& network,
              const std::vector<std::tuple<std::string, std::string, std::string>>& classes,
              const std::vector<std::pair<std::string, std::string>>& concepts,
              const std::map<std::string, py::object>& examples,
              const std::optional<std::vector<std::tuple<std::string, std::string, Array>>>& directions,
              const std::optional<Labels>& labels, const py::dict& options, const py::object& tell,
              const py::object& ranks) {
  const Running running;
  Config config = config_of(options);
  for (const auto& [name, target, path] : classes)
    config.classes.push_back({name, read_target(target), path});
  for (const auto& [name, path] : concepts) config.concepts.push_back({name, path});
  Given given;
  if (!network.is_none()) given.network = python_model(network);
  for (const auto& [role, set] : examples) given.examples.emplace(read_role(role), python_examples(set));
  given.keep_cavs = config.cavs.empty();
  given.ranks = python_ranks(ranks);
  if (labels) given.labels = table_of(*labels);
  const Progress progress = progress_to(tell);
  const py::gil_scoped_release unlocked;
  const InterruptCheck check(check_signals);
  return told_in_keywords([&] {
    if (directions) given.directions = directions_of(*directions, config);
    return atcav::run(config, progress, given);
  });
}

// {layer: {concept: direction}}
template <typename Layers, typename Rows>
py::dict by_layer(const Layers& found, Rows rows) {
  py::dict layers;
  for (const auto& layer : found) {
    py::dict concepts;
    for (std::size_t c = 0; c < layer.concepts.size(); ++c) {
      const Eigen::VectorXf row = (layer.*rows).row(static_cast<Index>(c)).transpose().template cast<float>();
      concepts[py::str(layer.concepts[c])] = py::array_t<float>(row.size(), row.data());
    }
    layers[py::str(layer.layer)] = concepts;
  }
  return layers;
}

template <typename Values>
py::array_t<float> rows_array(const Values& values) {
  const MatrixF& rows = values.template cast<float>();
  return py::array_t<float>({rows.rows(), rows.cols()}, rows.data());
}

// CAVs by value, as Python keeps them: layer, concepts, directions, steps, the random mean as a row.
using CavParts = std::tuple<std::string, std::vector<std::string>, Array, Array, Array>;

std::vector<CavParts> cav_parts(const RunResult& result) {
  std::vector<CavParts> parts;
  for (const LayerCavs& layer : result.cavs) {
    parts.emplace_back(layer.layer, layer.concepts, rows_array(layer.directions), rows_array(layer.steps),
                       rows_array(layer.random_mean.transpose()));
  }
  return parts;
}

// (directions, readers, offset) of concepts together; see stats/erasure.h.
py::tuple eraser(const std::vector<CavParts>& cavs, const std::string& layer,
                 const std::vector<std::string>& concepts) {
  if (cavs.empty())
    throw std::invalid_argument(
        "the run was given its directions, and erasing needs the examples behind them");
  const auto at = std::ranges::find_if(cavs, [&](const CavParts& one) { return std::get<0>(one) == layer; });
  if (at == cavs.end()) throw std::invalid_argument("the run has no layer '" + layer + "'");
  const auto& [name, known, found_directions, found_steps, random_mean] = *at;
  MatrixF directions(std::ssize(concepts), found_steps.shape(1));
  MatrixF tellers = directions;
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const auto place = std::ranges::find(known, concepts[i]);
    if (place == known.end()) throw std::invalid_argument("the run has no concept '" + concepts[i] + "'");
    directions.row(static_cast<Index>(i)) = view(found_steps).row(place - known.begin());
    tellers.row(static_cast<Index>(i)) = view(found_directions).row(place - known.begin());
  }
  const auto found = stats::make_eraser(directions.cast<double>(), tellers.cast<double>(),
                                        view(random_mean).row(0).transpose().cast<double>());
  if (!found)
    throw std::invalid_argument("the concepts cannot be told from random examples and from each other at '" +
                                layer + "'");
  return py::make_tuple(rows_array(found->directions), rows_array(found->readers),
                        py::array_t<float>(found->offset.size(), found->offset.cast<float>().eval().data()));
}

std::vector<std::pair<std::string, std::string>> figures(const RunResult& result) {
  std::vector<std::pair<std::string, std::string>> found;
  for (report::Figure& figure : report::make_figures(result).list)
    found.emplace_back(std::move(figure.name), std::move(figure.svg));
  return found;
}

// What several results are warned of, once: text, places, and where one is an example of several the first.
std::vector<std::tuple<std::string, std::string, std::string>> warnings(const RunResult& result) {
  std::vector<std::tuple<std::string, std::string, std::string>> found;
  for (const report::WarningGroup& group : report::warning_groups(result.results))
    found.emplace_back(group.text, group.places, group.equal ? "" : group.first);
  return found;
}

// Groups in place of the run's: an expression for file names, or a name for each row of the pool and each
// input by class.
RunResult reanalysed(const RunResult& run, const std::string& group_by,
                     const std::vector<std::string>& pool_groups,
                     const std::vector<std::vector<std::string>>& class_groups, std::optional<double> level,
                     std::optional<double> negligible) {
  return told_in_keywords([&] {
    Config choices;
    choices.options = run.options;
    choices.group_by = group_by;
    Reanalysis again = regrouping(run, choices);
    if (!pool_groups.empty() || !class_groups.empty()) {
      if (!again.groups) again.groups.emplace();
      if (!pool_groups.empty()) again.groups->pool = pool_groups;
      again.groups->classes = class_groups;
      again.note += again.note.empty() ? "rows in groups" : ", rows in groups";
    }
    if (level) again.level = *level;
    if (negligible) again.negligible = *negligible;
    return reanalyse(run, again);
  });
}

py::dict load_cavs(const std::string& path) {
  return by_layer(read_directions(path, {}).layers, &LayerDirections::rows);
}

// (names, directions) of a sparse autoencoder's decoder.
py::tuple load_decoder(const std::string& path) {
  const LayerDirections found = read_decoder(path, "");
  return py::make_tuple(found.concepts, rows_array(found.rows));
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
          "report_files", [](const RunResult& result) { return report_files("", result, ""); }, Unlocked())
      .def("figures", &figures, Unlocked())
      .def("warnings", &warnings, Unlocked())
      .def("cav_parts", &cav_parts)
      .def("cavs_file", [](const RunResult& result) { return py::bytes(cavs_file(result)); })
      .def("reanalyse", &reanalysed, "group_by"_a, "pool_groups"_a, "class_groups"_a, "level"_a,
           "negligible"_a, Unlocked())
      .def("cavs", [](const RunResult& result) { return by_layer(result.cavs, &LayerCavs::directions); });
  module.def(
      "write_files",
      [](const std::vector<std::pair<std::string, py::bytes>>& files) {
        std::vector<std::pair<std::string, std::string>> contents;
        contents.reserve(files.size());
        for (const auto& [path, content] : files) contents.emplace_back(path, std::string(content));
        const py::gil_scoped_release unlocked;
        data::write_files_atomically(contents);
      },
      "files"_a);
  module.def("score", &score, "concepts"_a, "random"_a, "pool"_a, "labels"_a, "gradients"_a, "layer"_a,
             "options"_a, "progress"_a);
  module.def("run", &run, "network"_a, "classes"_a, "concepts"_a, "examples"_a, "directions"_a, "labels"_a,
             "options"_a, "progress"_a, "ranks"_a);
  module.def("eraser", &eraser, "cavs"_a, "layer"_a, "concepts"_a);
  module.def("load_decoder", &load_decoder, "path"_a);
  module.def(
      "compare",
      [](const RunResult& first, const RunResult& second) {
        return report::comparison_json(atcav::compare(first, second));
      },
      "first"_a, "second"_a, Unlocked());
  module.def("load_cavs", &load_cavs, "path"_a);
  bind_running();
}

}  // namespace atcav::python
