#pragma once

#include "plugins/torch/onnx/graph.h"

// Functions of a model (ops made of other ops) written out where they are called.
namespace atcav::onnx {

// The graph, subgraphs included, without calls of model.functions. A tensor `x` inside a call of node `n` is
// called "n/x"; nodes inside a call lie in the caller's modules where they do not name their own.
// std::runtime_error for functions that call themselves or each other more than 64 deep, for subgraphs that
// end up deeper than a file may nest them, and where a Budget ends.
Graph inlined(const Model& model);

}  // namespace atcav::onnx
