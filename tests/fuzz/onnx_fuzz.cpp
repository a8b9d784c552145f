#include <cstdint>
#include <stdexcept>

#include "plugins/torch/onnx/functions.h"
#include "plugins/torch/onnx/parse_model.h"
#include "plugins/torch/onnx/topology.h"

namespace {

// Touches every byte that a tensor claims to have, and every graph inside.
std::size_t use_graph(const atcav::onnx::Graph& graph) {
  std::size_t sum = 0;
  for (const auto& tensor : graph.initializers) {
    for (const char byte : tensor.bytes.view()) sum += static_cast<unsigned char>(byte);
  }
  for (const auto& node : graph.nodes) {
    sum += node.title().size();
    for (const auto& attribute : node.attributes) {
      for (const auto& inner : attribute.graph) sum += use_graph(inner);
    }
  }
  return sum + atcav::onnx::execution_order(graph).size();
}

}  // namespace

// Any bytes are a model, its functions written out, or a std::runtime_error, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    use_graph(atcav::onnx::inlined(atcav::onnx::parse_model(atcav::onnx::Bytes::own(bytes))));
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
