#pragma once

#include "atcav/model.h"
#include "plugins/torch/exec/batch.h"

// Everything between a parsed graph and a network that can be probed.
namespace atcav::plugin {

// Which tensor holds the logits. Gradients are of logits, not of probabilities.
struct Logits {
  Slot slot = kNoSlot;
  std::string note;  // what was stepped over, for the user; empty if nothing
};

// Starts from `output` (empty: the first graph output with real numbers) and steps back over a final
// Softmax, LogSoftmax or Sigmoid, also through Identity, Reshape, Flatten, Squeeze, Cast, Dropout and
// ZipMap after it. std::invalid_argument if there is no tensor called `output` (with the closest names).
Logits find_logits(const Network& network, const std::string& output);

struct Prepared {
  Network network;
  BatchStudy study;
  Slot logits = kNoSlot;
  model::Facts facts;             // without hash and files
  std::vector<Slot> layer_slots;  // beside facts.layers
  at::Device device = at::kCPU;
  at::ScalarType type = at::kFloat;  // of real numbers inside the network
  // Of images. Tensor cores want channels last, and so does the CPU; plain float on a GPU does not.
  at::MemoryFormat order = at::MemoryFormat::ChannelsLast;
  Index batch = 32;
};

Prepared prepare(const onnx::Model& graph, const model::OpenOptions& options);

}  // namespace atcav::plugin
