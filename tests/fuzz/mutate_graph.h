#pragma once

#include <fmt/format.h>

#include "plugins/torch/exec/table.h"
#include "tests/fuzz/choices.h"
#include "tests/fuzz/whole_graphs.h"

// Graphs broken by their structure, as no change of bytes would: slots, op types, shapes, bodies, functions.
namespace atcav::fuzz {

using Nodes = std::vector<onnx::Node>;

inline void collect(Nodes& nodes, std::vector<Nodes*>& lists, std::vector<onnx::Graph*>& bodies) {
  lists.push_back(&nodes);
  for (onnx::Node& one : nodes) {
    for (onnx::Attribute& attribute : one.attributes) {
      for (onnx::Graph& inner : attribute.graph) {
        bodies.push_back(&inner);
        collect(inner.nodes, lists, bodies);
      }
    }
  }
}

inline void mutate_slots(onnx::Node& one, Choices& choose) {
  std::vector<std::string>& names = choose.next() % 2 == 0 ? one.inputs : one.outputs;
  const std::size_t at = names.empty() ? 0 : choose.below(names.size());
  switch (choose.below(5)) {
    case 0:
      names.clear();
      break;
    case 1:
      names.emplace_back(choose.next() % 2 == 0 ? "" : "more");
      break;
    case 2:
      if (!names.empty()) names[at].clear();
      break;
    case 3:
      if (!names.empty()) names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    default:
      if (!names.empty()) std::swap(names[at], names.front());
  }
}

inline void mutate_body(onnx::Graph& body, Choices& choose) {
  auto& values = choose.next() % 2 == 0 ? body.inputs : body.outputs;
  if (choose.next() % 2 == 0 && !values.empty()) {
    values.pop_back();
  } else {
    values.push_back(value(values.empty() ? "x" : values.front().name, {}));
  }
}

// The node becomes a call of functions that call each other, once or twice each, with it innermost or
// nothing.
inline void hide_in_functions(onnx::Model& model, onnx::Node& one, Choices& choose) {
  static constexpr std::array<std::size_t, 6> kDepths = {1, 2, 5, 30, 80, 500};
  const std::size_t depth = kDepths[choose.below(kDepths.size())];
  const bool twice = choose.next() % 2 == 0;
  const bool in_branch = choose.next() % 4 == 0;
  const std::string stem = fmt::format("f{}_", model.functions.size());
  for (std::size_t i = 0; i < depth; ++i) {
    onnx::Function function{stem + std::to_string(i), "own", one.inputs, one.outputs, {}, {}};
    if (i + 1 == depth) {
      if (choose.next() % 4 != 0) function.nodes = {one};
    } else {
      const std::string next = stem + std::to_string(i + 1);
      if (twice) function.nodes.push_back(call(next, one.inputs, {"unused"}));
      onnx::Node inner = call(next, one.inputs, one.outputs);
      if (in_branch) {
        const onnx::Attribute branch = subgraph("then_branch", {inner}, {}, one.outputs);
        inner = node("If", {one.inputs.empty() ? "x" : one.inputs.front()}, one.outputs, {branch, branch});
        inner.attributes.back().name = "else_branch";
      }
      function.nodes.push_back(inner);
    }
    model.functions.push_back(std::move(function));
  }
  one = call(stem + "0", one.inputs, one.outputs, one.name);
}

// The node becomes the body of a loop, of many rounds sometimes.
inline void hide_in_loop(onnx::Graph& graph, onnx::Node& one, Choices& choose) {
  static constexpr std::array<std::int64_t, 5> kRounds = {0, 2, 300, 99'999, INT64_MAX};
  const std::string count = fmt::format("rounds{}", graph.initializers.size());
  graph.initializers.push_back(longs(count, {}, {kRounds[choose.below(kRounds.size())]}));
  onnx::Node inner = one;
  for (std::string& output : inner.outputs) output += "_inside";
  std::vector<std::string> outputs = {"on"};
  outputs.insert(outputs.end(), inner.outputs.begin(), inner.outputs.end());
  if (choose.next() % 2 == 0) outputs.push_back("on");
  one = node("Loop", {count, ""}, one.outputs,
             {subgraph("body", {node("Identity", {"go"}, {"on"}), inner}, {"i", "go"}, outputs)});
}

inline void mutate(onnx::Model& model, Choices& choose) {
  static const std::vector<std::string> ops = plugin::op_names();
  std::vector<Nodes*> lists;
  std::vector<onnx::Graph*> bodies;
  collect(model.graph.nodes, lists, bodies);
  for (onnx::Function& function : model.functions) collect(function.nodes, lists, bodies);
  Nodes& nodes = *lists[choose.below(lists.size())];
  if (nodes.empty()) return;
  onnx::Node& one = nodes[choose.below(nodes.size())];
  auto& weights = model.graph.initializers;
  switch (choose.below(14)) {
    case 0:
    case 1:
    case 2:
      mutate_slots(one, choose);
      break;
    case 3:
      one.op = ops[(choose.next() + 256U * choose.next()) % ops.size()];
      break;
    case 4:
      one.domain = choose.next() % 2 == 0 ? "own" : "";
      break;
    case 5: {
      const auto more = attributes(choose);
      one.attributes.insert(one.attributes.begin(), more.begin(), more.end());
      break;
    }
    case 6:
      if (!weights.empty()) {
        onnx::Tensor& weight = weights[choose.below(weights.size())];
        weight = choose.next() % 2 == 0 ? noise(weight.name, choose.shape())
                                        : longs(weight.name, {}, {choose.number()});
      }
      break;
    case 7:
      if (!weights.empty()) {
        onnx::Tensor& weight = weights[choose.below(weights.size())];
        weight = floats(weight.name, {}, {1});
      }
      break;
    case 8:
      nodes.erase(nodes.begin() + (&one - nodes.data()));
      break;
    case 9:
      hide_in_functions(model, one, choose);
      break;
    case 10:
      hide_in_loop(model.graph, one, choose);
      break;
    case 11:
      if (!bodies.empty()) mutate_body(*bodies[choose.below(bodies.size())], choose);
      break;
    case 12:
      one.name.clear();
      for (std::size_t i = 0; i < (std::size_t{1} << choose.below(16)); ++i) one.name += "/a";
      break;
    default:
      if (!model.graph.inputs.empty()) model.graph.inputs.front() = value("x", choose.shape());
  }
}

}  // namespace atcav::fuzz
