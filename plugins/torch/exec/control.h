#pragma once

#include "plugins/torch/import/plan.h"

// Ops that run others (If, Loop, Scan, SequenceMap) and ops on sequences of tensors and optional values,
// which need more than tensors: they read and write `Values` themselves.
namespace atcav::plugin {

// Names of the attributes with the subgraphs that Step::bodies are made from, in their order.
std::vector<const char*> body_names(const onnx::Node& node);

// std::runtime_error naming the node unless the body takes what the op gives and gives what the node
// promises.
void check_body(const onnx::Node& node, const Body& body, std::int64_t opset);

// std::runtime_error naming the node where an element is not there, and where the budget of `values` ends.
void run_control(const Network& network, const Step& step, Values& values, BatchSize size);

}  // namespace atcav::plugin
