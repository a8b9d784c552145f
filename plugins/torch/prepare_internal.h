#pragma once

#include "plugins/torch/batch.h"
#include "atcav/model/model.h"
#include "plugins/torch/network.h"

// Everything between a parsed graph and a network that can be probed.
namespace atcav::plugin {

struct Prepared {
  Network network;
  BatchStudy study;
  Slot logits = kNoSlot;
  Index logit_count = 0;
  std::vector<InputInfo> inputs;
  std::vector<Layer> layers;
  std::vector<Slot> layer_slots;     // beside layers
  std::vector<bool> channels_first;  // beside layers: N×C×positions rather than N×tokens×features
  std::vector<std::string> notes;
  at::Device device = at::kCPU;
  at::ScalarType type = at::kFloat;
  Index batch = 32;
};

std::unique_ptr<Prepared> prepare(const onnx::Model& graph, const LoadOptions& options);

}  // namespace atcav::plugin
