#pragma once

#include "atcav/model/open_onnx.h"
#include "plugins/torch/batch.h"

// Everything between a parsed graph and a network that can be probed.
namespace atcav::plugin {

struct Prepared {
  Network network;
  BatchStudy study;
  Slot logits = kNoSlot;
  model::Facts facts;                // without hash and files
  std::vector<Slot> layer_slots;     // beside facts.layers
  std::vector<bool> channels_first;  // beside facts.layers: N×C×positions rather than N×tokens×features
  at::Device device = at::kCPU;
  at::ScalarType type = at::kFloat;  // of real numbers inside the network
  Index batch = 32;
};

Prepared prepare(const onnx::Model& graph, const model::OpenOptions& options);

}  // namespace atcav::plugin
