#include "plugins/torch/onnx/topology.h"

#include <fmt/format.h>

#include <map>
#include <queue>
#include <set>
#include <stdexcept>

namespace atcav::onnx {
namespace {

void collect_outer_names(const Graph& graph, std::set<std::string>& names) {
  std::set<std::string> inner;
  for (const Tensor& tensor : graph.initializers) inner.insert(tensor.name);
  for (const Value& input : graph.inputs) inner.insert(input.name);
  for (const Node& node : graph.nodes) inner.insert(node.outputs.begin(), node.outputs.end());
  for (const Node& node : graph.nodes) {
    for (const std::string& name : names_read(node)) {
      if (!inner.contains(name)) names.insert(name);
    }
  }
  for (const Value& output : graph.outputs) {
    if (!inner.contains(output.name)) names.insert(output.name);
  }
}

std::map<std::string, std::size_t> producers(const Graph& graph, const std::set<std::string>& given) {
  std::map<std::string, std::size_t> makers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& name : graph.nodes[i].outputs) {
      if (name.empty()) continue;
      if (given.contains(name) || !makers.emplace(name, i).second) {
        throw std::runtime_error(
            fmt::format("[onnx] {} makes tensor '{}', which exists already", graph.nodes[i].title(), name));
      }
    }
  }
  return makers;
}

}  // namespace

std::vector<std::string> names_read(const Node& node) {
  std::set<std::string> names;
  for (const std::string& name : node.inputs) {
    if (!name.empty()) names.insert(name);
  }
  for (const Attribute& attribute : node.attributes) {
    for (const Graph& graph : attribute.graph) collect_outer_names(graph, names);
  }
  return {names.begin(), names.end()};
}

std::vector<std::size_t> execution_order(const Graph& graph,
                                         const std::function<bool(const std::string&)>& is_outer) {
  std::set<std::string> given;
  for (const Tensor& tensor : graph.initializers) given.insert(tensor.name);
  for (const Value& input : graph.inputs) given.insert(input.name);
  const auto makers = producers(graph, given);
  const auto is_given = [&](const std::string& name) {
    return given.contains(name) || (is_outer && is_outer(name));
  };

  const std::size_t count = graph.nodes.size();
  std::vector<std::vector<std::size_t>> readers(count);
  std::vector<std::size_t> waiting(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::string& name : names_read(graph.nodes[i])) {
      const auto maker = makers.find(name);
      if (maker == makers.end()) {
        if (is_given(name)) continue;
        throw std::runtime_error(
            fmt::format("[onnx] {} reads tensor '{}', which no node produces", graph.nodes[i].title(), name));
      }
      readers[maker->second].push_back(i);
      ++waiting[i];
    }
  }
  for (const Value& output : graph.outputs) {
    if (!makers.contains(output.name) && !is_given(output.name)) {
      throw std::runtime_error(fmt::format("[onnx] no node makes graph output '{}'", output.name));
    }
  }

  // Always the earliest node that is ready.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::size_t reader : readers[next]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (waiting[i] > 0) {
      throw std::runtime_error(
          fmt::format("[onnx] the graph is cyclic: {} waits for itself", graph.nodes[i].title()));
    }
  }
  return order;
}

}  // namespace atcav::onnx
