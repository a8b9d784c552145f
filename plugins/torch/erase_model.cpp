#include "plugins/torch/erase_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "core/check.h"
#include "data/file/reader.h"
#include "model/layout.h"
#include "model/token_mask.h"
#include "plugins/torch/import/prepare.h"
#include "plugins/torch/onnx/eraser_nodes.h"
#include "plugins/torch/onnx/insert_nodes.h"
#include "plugins/torch/onnx/parse_model.h"
#include "plugins/torch/torch_model.h"

namespace atcav::plugin {
namespace {

[[noreturn]] void refuse(const model::LayerEraser& eraser, const std::string& why) {
  fail_argument("repair", fmt::format("layer '{}' {}", eraser.tensor, why));
}

// Of the layer, which was seen here: networks of half precision are run in float, doubles as they are.
// Nothing where the file has both.
std::optional<onnx::Type> type_of(const onnx::Graph& graph, at::ScalarType seen) {
  using enum onnx::Type;
  std::set<onnx::Type> found;
  for (const onnx::Tensor& tensor : graph.initializers) found.insert(tensor.type);
  for (const onnx::Value& input : graph.inputs) found.insert(input.type);
  const bool doubles = found.contains(kFloat64);
  std::erase_if(found,
                [](onnx::Type type) { return type != kFloat32 && type != kFloat16 && type != kBfloat16; });
  if (seen == at::kDouble || (doubles && found.empty())) return kFloat64;
  if (found.size() > 1) return std::nullopt;
  return found.empty() ? kFloat32 : *found.begin();
}

std::set<std::string> names_in(const onnx::Graph& graph) {
  std::set<std::string> names;
  for (const onnx::Node& node : graph.nodes) names.insert(node.outputs.begin(), node.outputs.end());
  return names;
}

// A file may be repaired again.
std::string unused_stem(const onnx::Graph& graph, const std::string& tensor) {
  const std::set<std::string> names = names_in(graph);
  for (int number = 1;; ++number) {
    std::string stem = number == 1 ? tensor + "/repair" : fmt::format("{}/repair{}", tensor, number);
    if (!names.contains(stem + "/before")) return stem;
  }
}

// Through steps that do more than look at a size.
std::vector<std::string> ways_past(const Network& network, Slot logits, Slot layer) {
  const auto makers = makers_of(network);
  std::set<Slot> seen = {layer};
  std::vector<Slot> open = {logits};
  while (!open.empty()) {
    const Slot slot = open.back();
    open.pop_back();
    if (!seen.insert(slot).second || !makers.contains(slot)) continue;
    const Step& step = *makers.at(slot);
    if (step.node.op == "Shape" || step.node.op == "Size") continue;
    open.insert(open.end(), step.reads.begin(), step.reads.end());
  }
  std::vector<std::string> names;
  for (const NetworkInput& input : network.inputs) {
    if (seen.contains(input.slot) && !model::is_mask(input.value.name)) names.push_back(input.value.name);
  }
  return names;
}

onnx::LayerPlace place_of(const Prepared& net, const onnx::Model& graph, const model::LayerEraser& eraser,
                          Slot slot) {
  const SlotShape& known = net.study.shapes[slot];
  if (known.shape.empty() || known.batch_at() != 0 || known.left != 1 ||
      known.shape.front() != net.study.base)
    refuse(eraser, "does not have its examples in the first dimension");
  bool channels_first = true;
  for (const model::Layer& layer : net.facts.layers) {
    if (layer.name == eraser.tensor) channels_first = layer.channels_first;
  }
  return {known.shape, model::position_dims(std::ssize(known.shape), channels_first), graph.opset,
          type_of(graph.graph, known.type)};
}

void check_no_mask(const Prepared& net, const model::LayerEraser& eraser) {
  if (eraser.pool != model::Pool::kMean && eraser.pool != model::Pool::kLast) return;
  std::vector<std::string> names;
  for (const model::InputInfo& input : net.facts.inputs) names.push_back(input.name);
  if (const auto mask = model::find_token_mask(names))
    refuse(eraser, fmt::format("is pooled over the tokens that '{}' counts, which a repaired file cannot do; "
                               "--pooling cls and a token's number can be repaired",
                               names[*mask]));
}

}  // namespace

model::ErasedOnnx erase_in_model(const std::string& path, const model::OpenOptions& options,
                                 const model::LayerEraser& eraser) {
  const std::string bytes = data::read_file(path);
  const auto external = onnx::external_data_in(std::filesystem::path(path).parent_path());
  const onnx::Model graph = onnx::parse_model(onnx::Bytes::own(bytes), external);
  model::ErasedOnnx erased;
  {
    const Prepared net = in_one_line([&] { return prepare(graph, options); });
    const auto found = net.network.slots.find(eraser.tensor);
    if (found == net.network.slots.end()) refuse(eraser, "is not in the file's outer graph");
    if (!names_in(graph.graph).contains(eraser.tensor))
      refuse(eraser, "is made inside a function of the file, where no nodes can be inserted");
    check_no_mask(net, eraser);
    const std::string stem = unused_stem(graph.graph, eraser.tensor);
    erased.file = onnx::insert_nodes(
        bytes, {eraser.tensor, stem + "/before",
                onnx::eraser_nodes(eraser, place_of(net, graph, eraser, found->second), stem),
                model::kRepairMark, eraser.note});
    erased.ways_past = ways_past(net.network, net.logits, found->second);
  }
  erased.network = make_torch_model(onnx::parse_model(onnx::Bytes::own(erased.file), external), options);
  return erased;
}

}  // namespace atcav::plugin
