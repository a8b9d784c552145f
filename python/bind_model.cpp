#include <pybind11/stl.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "core/parallel.h"
#include "data/file/sha256.h"
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

// Of each row's content. A part has its values row after row behind a text that all rows share, or a text for
// each row.
struct HashedPart {
  std::string shape;
  std::optional<py::buffer_info> values;
  std::vector<std::string> texts = {};
};

std::vector<std::string> row_hashes(const std::vector<py::tuple>& given, Index rows) {
  std::vector<HashedPart> parts;
  for (const py::tuple& part : given) {
    if (py::isinstance<py::array>(part[1]))
      parts.push_back({part[0].cast<std::string>(), part[1].cast<py::buffer>().request()});
    else
      parts.push_back({"", std::nullopt, part[1].cast<std::vector<std::string>>()});
  }
  std::vector<std::string> hashes(static_cast<std::size_t>(rows));
  const py::gil_scoped_release unlocked;
  parallel_for(rows, 0, [&](Index row) {
    data::Sha256 hash;
    for (const HashedPart& part : parts) {
      if (part.values) {
        const auto bytes = static_cast<std::size_t>(part.values->size * part.values->itemsize / rows);
        const auto* first = static_cast<const std::byte*>(part.values->ptr);
        hash.update(part.shape);
        hash.update(std::span(first + static_cast<std::size_t>(row) * bytes, bytes));
      } else {
        hash.update(part.texts[static_cast<std::size_t>(row)]);
      }
    }
    hashes[static_cast<std::size_t>(row)] = hash.hex();
  });
  return hashes;
}

// Of the bytes of each array, side by side.
std::vector<std::string> sha256_each(const std::vector<py::buffer>& arrays) {
  std::vector<py::buffer_info> values;
  values.reserve(arrays.size());
  for (const py::buffer& array : arrays) values.push_back(array.request());
  std::vector<std::string> hashes(values.size());
  const py::gil_scoped_release unlocked;
  parallel_for(std::ssize(values), 0, [&](Index i) {
    const py::buffer_info& own = values[static_cast<std::size_t>(i)];
    data::Sha256 hash;
    hash.update(
        std::span(static_cast<const std::byte*>(own.ptr), static_cast<std::size_t>(own.size * own.itemsize)));
    hashes[static_cast<std::size_t>(i)] = hash.hex();
  });
  return hashes;
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
      .def(py::init(&model::read_pool), "text"_a)
      .def_readonly("kind", &Pool::kind)
      .def_readonly("token", &Pool::token)
      .def("__str__", &model::pool_text);
  module.def("read_pool", &model::read_pool, "text"_a);
  module.def("row_hashes", &row_hashes, "parts"_a, "rows"_a);
  module.def("sha256_each", &sha256_each, "arrays"_a);
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
