#pragma once

#include "plugins/torch/plan.h"

// Ops that run others (If, Loop, Scan, SequenceMap) and ops on sequences of tensors and optional values,
// which need more than tensors: they read and write `Values` themselves.
namespace atcav::plugin {

bool is_control(const onnx::Node& node);

// Names of the attributes with the subgraphs that Step::bodies are made from, in their order.
std::vector<const char*> body_names(const onnx::Node& node);

// std::runtime_error naming the node: an element that is not there, a loop of more than 100,000 rounds.
void run_control(const Network& network, const Step& step, Values& values, BatchSize size);

}  // namespace atcav::plugin
