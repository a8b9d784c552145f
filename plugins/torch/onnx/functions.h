#pragma once

#include "plugins/torch/onnx/graph.h"

// Functions of a model (ops made of other ops) written out where they are called.
namespace atcav::onnx {

// The graph, subgraphs included, without calls of model.functions. A tensor `x` inside a call of node `n` is
// called "n/x"; nodes inside a call lie in the caller's modules where they do not name their own.
// std::runtime_error for functions that call themselves, and when there would be more than a million nodes.
Graph inlined(const Model& model);

}  // namespace atcav::onnx
