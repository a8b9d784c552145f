#include "plugins/torch/onnx/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace atcav::onnx {
namespace {

using Names = std::map<std::string, std::string>;

class Inliner {
 public:
  explicit Inliner(const Model& model) {
    for (const Function& function : model.functions) functions_[{function.domain, function.name}] = &function;
  }

  bool has_functions() const { return !functions_.empty(); }

  Graph graph(const Graph& given) {
    Graph result = given;
    result.nodes.clear();
    for (const Node& node : given.nodes) add(node, result.nodes);
    return result;
  }

 private:
  void add(const Node& node, std::vector<Node>& nodes) {
    const auto found = functions_.find({node.domain, node.op});
    if (found != functions_.end()) {
      expand(node, *found->second, nodes);
      return;
    }
    constexpr std::size_t kMost = 1'000'000;
    if (++count_ > kMost) throw std::runtime_error("[onnx] functions call each other too often");
    nodes.push_back(node);
    for (Attribute& attribute : nodes.back().attributes) {
      for (Graph& inner : attribute.graph) inner = graph(inner);
    }
  }

  void expand(const Node& call, const Function& function, std::vector<Node>& nodes) {
    if (!open_.insert(&function).second)
      throw std::runtime_error(fmt::format("[onnx] function '{}' calls itself", function.name));
    const std::string prefix =
        (call.name.empty() && !call.outputs.empty() ? call.outputs.front() : call.name) + "/";
    Names names;
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : "";
    for (std::size_t i = 0; i < function.outputs.size() && i < call.outputs.size(); ++i) {
      // An output that is an input of the function needs a tensor of its own.
      if (names.contains(function.outputs[i])) {
        Node copy{"", "Identity", "", {names[function.outputs[i]]}, {call.outputs[i]}, {}};
        nodes.push_back(copy);
      } else if (!call.outputs[i].empty()) {
        names[function.outputs[i]] = call.outputs[i];
      }
    }
    for (const Node& inner : function.nodes) {
      Node copy = renamed(inner, names, prefix);
      if (copy.scopes.empty()) copy.scopes = call.scopes;
      fill_in(copy, call, function);
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
  std::size_t count_ = 0;
};

}  // namespace

Graph inlined(const Model& model) {
  Inliner inliner(model);
  return inliner.has_functions() ? inliner.graph(model.graph) : model.graph;
}

}  // namespace atcav::onnx
