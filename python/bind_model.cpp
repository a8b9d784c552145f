#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "model/find_layer.h"
#include "model/layout.h"
#include "model/token_mask.h"

// What a network in Python asks: which modules a text means, where channels are, which tokens count.
namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

// `modules`: (name, position) of each; modules with two names have one position.
std::vector<std::pair<std::string, std::size_t>> find_layers(
    const std::vector<std::pair<std::string, std::size_t>>& modules, const std::string& text) {
  model::Facts facts;
  for (const auto& [name, position] : modules) facts.modules.push_back({name, "", position, ""});
  std::vector<std::pair<std::string, std::size_t>> found;
  for (model::FoundLayer& layer : model::find_layers(facts, text))
    found.emplace_back(std::move(layer.name), layer.position);
  return found;
}

// (name, whether it is one of padding), or None.
std::optional<std::pair<std::string, bool>> token_mask(const std::vector<std::string>& inputs) {
  const auto found = model::find_token_mask(inputs);
  if (!found) return std::nullopt;
  return std::pair(inputs[*found], model::is_padding_mask(inputs[*found]));
}

}  // namespace

void bind_model(py::module_& module) {
  using model::Layout;
  using model::Pool;
  py::enum_<Layout>(module, "Layout").value("UNKNOWN", Layout::kUnknown);
  py::enum_<Pool::Kind>(module, "PoolKind")
      .value("WHOLE", Pool::Kind::kWhole)
      .value("MEAN", Pool::Kind::kMean)
      .value("MAX", Pool::Kind::kMax)
      .value("TOKEN", Pool::Kind::kToken);
  py::class_<Pool>(module, "Pool")
      .def_readonly("kind", &Pool::kind)
      .def_readonly("token", &Pool::token)
      .def("__str__", &model::pool_text);
  module.def("find_layers", &find_layers, "modules"_a, "text"_a);
  module.def("token_mask", &token_mask, "inputs"_a);
  module.def(
      "layout_after",
      [](const std::string& step, const std::vector<Layout>& inputs) { return layout_after(step, inputs); },
      "step"_a, "inputs"_a);
  module.def("is_channels_first", &model::is_channels_first, "layout"_a, "dimensions"_a);
  module.def(
      "pooled_size",
      [](const std::vector<Index>& shape, bool channels_first) {
        return model::pooled_size(shape, channels_first);
      },
      "shape"_a, "channels_first"_a);
  module.def("position_dims", &model::position_dims, "dimensions"_a, "channels_first"_a);
}

}  // namespace atcav::python
