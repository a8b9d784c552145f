#include "plugins/torch/onnx/graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace atcav::onnx {

const Attribute* Node::find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

std::string too_deep() { return fmt::format("[onnx] subgraphs are nested more than {} deep", kDeepestGraph); }

std::string Node::title() const {
  const std::string full_op = domain.empty() || domain == "ai.onnx" ? op : domain + "." + op;
  const std::string called = !name.empty() ? name : outputs.empty() ? "" : outputs.front();
  const std::string module = scopes.empty() ? "" : fmt::format(" in module '{}'", scopes.back().module);
  return fmt::format("node '{}' ({}){}", called, full_op, module);
}

}  // namespace atcav::onnx
