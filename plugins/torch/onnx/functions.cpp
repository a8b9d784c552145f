#include "plugins/torch/onnx/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "plugins/torch/onnx/budget.h"

namespace atcav::onnx {
namespace {

using Names = std::map<std::string, std::string>;

std::size_t text_bytes(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += sizeof(std::string) + text.size();
  return bytes;
}

// Of a copy; tensors share theirs.
std::size_t node_bytes(const Node& node) {
  std::size_t bytes = sizeof(Node) + node.name.size() + text_bytes(node.inputs) + text_bytes(node.outputs);
  for (const Scope& scope : node.scopes) bytes += sizeof(Scope) + scope.module.size() + scope.type.size();
  for (const Attribute& attribute : node.attributes) {
    bytes += sizeof(Attribute) + attribute.text.size() + text_bytes(attribute.texts) +
             attribute.reals.size() * sizeof(float) + attribute.integers.size() * sizeof(std::int64_t);
    for (const Graph& graph : attribute.graph) {
      bytes += sizeof(Graph) + graph.initializers.size() * sizeof(Tensor) +
               (graph.inputs.size() + graph.outputs.size()) * sizeof(Value);
      for (const Node& inner : graph.nodes) bytes += node_bytes(inner);
    }
  }
  return bytes;
}

class Inliner {
 public:
  explicit Inliner(const Model& model) {
    for (const Function& function : model.functions) functions_[{function.domain, function.name}] = &function;
  }

  bool has_functions() const { return !functions_.empty(); }

  Graph graph(Graph given) {
    if (++depth_ > kDeepestGraph) throw std::runtime_error(too_deep());
    const std::vector<Node> nodes = std::exchange(given.nodes, {});
    for (const Node& node : nodes) add(node, given.nodes);
    --depth_;
    return given;
  }

 private:
  const Function* called(const Node& node) const {
    const auto found = functions_.find({node.domain, node.op});
    return found != functions_.end() ? found->second : nullptr;
  }

  void add(const Node& node, std::vector<Node>& nodes) {
    if (const Function* function = called(node)) return expand(node, *function, nodes);
    nodes.push_back(node);
    for (Attribute& attribute : nodes.back().attributes) {
      for (Graph& inner : attribute.graph) inner = graph(std::move(inner));
    }
  }

  void expand(const Node& call, const Function& function, std::vector<Node>& nodes) {
    if (!open_.insert(&function).second)
      throw std::runtime_error(fmt::format("[onnx] function '{}' calls itself", function.name));
    constexpr std::size_t kDeepest = 64;
    if (open_.size() > kDeepest)
      throw std::runtime_error(fmt::format("[onnx] functions call each other more than {} deep", kDeepest));
    budget_.take_nodes(1);
    const std::string prefix =
        (call.name.empty() && !call.outputs.empty() ? call.outputs.front() : call.name) + "/";
    Names names;
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : "";
    for (std::size_t i = 0; i < function.outputs.size() && i < call.outputs.size(); ++i) {
      // An output that is an input of the function needs a tensor of its own.
      if (names.contains(function.outputs[i])) {
        budget_.take_nodes(1);
        nodes.push_back({"", "Identity", "", {names[function.outputs[i]]}, {call.outputs[i]}, {}});
      } else if (!call.outputs[i].empty()) {
        names[function.outputs[i]] = call.outputs[i];
      }
    }
    for (const Node& inner : function.nodes) {
      Node copy = renamed(inner, names, prefix);
      // Its output may now have the name of this call's.
      if (inner.name.empty() && !inner.outputs.empty() && called(inner) != nullptr)
        copy.name = prefix + inner.outputs.front();
      if (copy.scopes.empty()) copy.scopes = call.scopes;
      fill_in(copy, call, function);
      budget_.take_nodes(1);
      budget_.take_bytes(node_bytes(copy));
      add(copy, nodes);
    }
    open_.erase(&function);
  }

  Node renamed(const Node& node, Names& names, const std::string& prefix) const {
    Node copy = node;
    const auto rename = [&](std::string& name) {
      if (name.empty()) return;
      const auto found = names.find(name);
      name = found != names.end() ? found->second : prefix + name;
    };
    for (std::string& input : copy.inputs) rename(input);
    for (std::string& output : copy.outputs) rename(output);
    if (!copy.name.empty()) copy.name = prefix + copy.name;
    for (Attribute& attribute : copy.attributes) {
      for (Graph& graph : attribute.graph) {
        for (Node& inner : graph.nodes) inner = renamed(inner, names, prefix);
        for (Tensor& tensor : graph.initializers) rename(tensor.name);
        for (Value& input : graph.inputs) rename(input.name);
        for (Value& output : graph.outputs) rename(output.name);
      }
    }
    return copy;
  }

  // Attributes that the body takes from its caller; without a value there they are left out.
  static void fill_in(Node& node, const Node& call, const Function& function) {
    std::vector<Attribute> filled;
    for (Attribute& attribute : node.attributes) {
      for (Graph& graph : attribute.graph) {
        for (Node& inner : graph.nodes) fill_in(inner, call, function);
      }
      if (attribute.reference.empty()) {
        filled.push_back(std::move(attribute));
        continue;
      }
      const Attribute* value = call.find(attribute.reference);
      const auto same_name = [&](const Attribute& other) { return other.name == attribute.reference; };
      const auto fallback = std::ranges::find_if(function.defaults, same_name);
      if (value == nullptr && fallback != function.defaults.end()) value = &*fallback;
      if (value == nullptr) continue;
      filled.push_back(*value);
      filled.back().name = attribute.name;
    }
    node.attributes = std::move(filled);
  }

  std::map<std::pair<std::string, std::string>, const Function*> functions_;
  std::set<const Function*> open_;
  int depth_ = -1;  // of subgraphs
  Budget budget_;
};

}  // namespace

Graph inlined(const Model& model) {
  Inliner inliner(model);
  return inliner.has_functions() ? inliner.graph(model.graph) : model.graph;
}

}  // namespace atcav::onnx
