#include "plugins/torch/prepare_internal.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>

#include "atcav/base/check.h"
#include "atcav/base/parallel.h"
#include "plugins/torch/fusion.h"
#include "plugins/torch/logits.h"
#include "plugins/torch/tensor_torch.h"

namespace atcav::plugin {
namespace {

at::Device checked_device(const LoadOptions& options) {
  try {
    at::Device device(options.device);
    if (device.is_cuda() && !at::hasCUDA())
      fail_argument("Model::load", "device is cuda, but there is none here");
    if (!device.is_cuda() && !device.is_cpu()) fail_argument("Model::load", "device must be cpu or cuda");
    if (device.is_cpu() && options.precision != Precision::fp32) {
      fail_argument("Model::load", "tf32 and bf16 are for the GPU only");
    }
    return device;
  } catch (const c10::Error&) {
    fail_argument("Model::load", fmt::format("device is '{}', must be cpu or cuda", options.device));
  }
}

std::vector<InputInfo> input_infos(const Network& network) {
  std::vector<InputInfo> infos;
  for (const NetworkInput& input : network.inputs) {
    const auto type = scalar_type(input.value.type, fmt::format("input '{}'", input.value.name));
    infos.push_back(
        {input.value.name, {input.value.shape.begin(), input.value.shape.end()}, !at::isFloatingType(type)});
  }
  return infos;
}

// Channels come first after convolutions and what keeps their layout; sequence models put features last.
bool keeps_layout(const std::string& op) {
  static const std::set<std::string> kOps = {"Relu",   "LeakyRelu", "Elu",       "Selu", "Sigmoid", "Tanh",
                                             "Clip",   "Gelu",      "PRelu",     "Add",  "Mul",     "Sum",
                                             "Concat", "Dropout",   "HardSwish", "Mish", "Identity"};
  return kOps.contains(op);
}

bool makes_channels_first(const std::string& op) {
  return op.starts_with("Conv") || op.ends_with("Pool") || op == "BatchNormalization" ||
         op == "InstanceNormalization" || op == "GroupNormalization" || op == "LRN";
}

void collect_layers(Prepared& prepared) {
  const Network& network = prepared.network;
  std::map<Slot, bool> channels_first;
  for (const Step& step : network.steps) {
    for (const Slot slot : step.outputs) {
      if (slot == kNoSlot) continue;
      const bool inherited =
          keeps_layout(step.node.op) &&
          std::any_of(step.inputs.begin(), step.inputs.end(), [&](Slot in) { return channels_first[in]; });
      channels_first[slot] = inherited || makes_channels_first(step.node.op);
      const SlotShape& shape = prepared.study.shapes[static_cast<std::size_t>(slot)];
      if (shape.shape.empty() || (shape.batch_dim < 0 && prepared.study.batchable)) continue;
      Layer layer;
      layer.name = network.names[static_cast<std::size_t>(slot)];
      layer.node = step.node.name;
      layer.op = step.node.op;
      layer.path = module_path(step.node.name.empty() ? layer.name : step.node.name);
      layer.size = 1;
      for (std::size_t i = 0; i < shape.shape.size(); ++i) {
        const bool is_batch = static_cast<std::int64_t>(i) == std::max<std::int64_t>(0, shape.batch_dim);
        const auto size = is_batch ? shape.shape[i] / prepared.study.base : shape.shape[i];
        if (!is_batch || size != 1) layer.shape.push_back(size);
        layer.size *= size;
      }
      prepared.layers.push_back(std::move(layer));
      prepared.layer_slots.push_back(slot);
      prepared.channels_first.push_back(channels_first[slot]);
    }
  }
}

void set_up_torch(const at::Device& device, const LoadOptions& options) {
  at::set_num_threads(options.threads > 0 ? options.threads : available_threads());
  if (device.is_cuda()) {
    const bool fast = options.precision == Precision::tf32;
    at::globalContext().setAllowTF32CuBLAS(fast);
    at::globalContext().setAllowTF32CuDNN(fast);
  }
}

}  // namespace

std::unique_ptr<Prepared> prepare(const onnx::Model& graph, const LoadOptions& options) {
  check_at_least("Model::load", "batch", options.batch, 1);
  auto prepared = std::make_unique<Prepared>();
  prepared->device = checked_device(options);
  prepared->batch = options.batch;
  set_up_torch(prepared->device, options);
  if (options.precision == Precision::bf16) prepared->type = at::kBFloat16;
  prepared->network = build_network(graph);
  prepared->inputs = input_infos(prepared->network);
  const Logits logits = find_logits(prepared->network, options.output);
  if (!logits.note.empty()) prepared->notes.push_back(logits.note);
  prepared->logits = logits.slot;
  if (prepared->network.is_constant(logits.slot)) {
    throw std::runtime_error("[Model::load] the output does not depend on the input");
  }
  prepared->study = study_batch(prepared->network, logits.slot, {options.shape.begin(), options.shape.end()});
  const BatchStudy& study = prepared->study;
  if (!study.adapted.empty() && study.batchable) {
    prepared->notes.push_back(fmt::format("exported for a batch of {}: {} constants follow larger batches",
                                          study.base, study.adapted.size()));
  }
  if (!study.batchable) {
    prepared->notes.push_back(
        fmt::format("run {} at a time, which is slow ({})", study.base, study.obstacle));
    prepared->batch = study.base;
  }
  const SlotShape& out = study.shapes[static_cast<std::size_t>(logits.slot)];
  prepared->logit_count = onnx::element_count(out.shape, "logits") / study.base;
  collect_layers(*prepared);
  fuse_normalisation(prepared->network);
  move_constants(prepared->network, prepared->device, prepared->type);
  return prepared;
}

}  // namespace atcav::plugin
