#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "plugins/torch/onnx/graph.h"

// Checks that a graph can be run at all, and in which order.
namespace atcav::onnx {

// Positions of graph.nodes such that each node comes after those it reads from; the file's own order
// wherever that is possible (and it nearly always is). Names that subgraphs take from outside count as
// read. `is_outer` says which names exist before the first node, beside inputs and initializers.
// std::runtime_error naming node and tensor for: a tensor nobody makes, a tensor made twice, a cycle,
// a graph output that does not exist.
std::vector<std::size_t> execution_order(const Graph& graph,
                                         const std::function<bool(const std::string&)>& is_outer = {});

// Names the node reads: its inputs and whatever its subgraphs take from outside, each once.
std::vector<std::string> names_read(const Node& node);

}  // namespace atcav::onnx
