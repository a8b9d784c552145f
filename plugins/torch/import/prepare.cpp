#include "plugins/torch/import/prepare.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <future>

#include "core/check.h"
#include "core/parallel.h"
#include "data/file/fail.h"
#include "model/layout.h"
#include "model/plugin.h"
#include "plugins/torch/exec/tensor_torch.h"
#include "plugins/torch/import/modules.h"
#include "plugins/torch/onnx/scopes.h"

namespace atcav::plugin {
namespace {

// Why bfloat16 cannot be used on this CPU; empty where it can.
std::string no_bf16_here() {
#if TORCH_VERSION_MAJOR < 2
  return fmt::format("LibTorch {} crashes with SIGILL there, 2.1 and newer do not", TORCH_VERSION);
#elif defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16") == 0) return "this processor has neither AMX nor AVX512-BF16";
#endif
  return "";
}

at::Device checked_device(const model::OpenOptions& options) {
  const auto name = [](model::Device device) { return model::device_text({device}); };
  if (!options.device.gpu) {
    if (options.precision == model::Precision::kTf32)
      fail_argument("open_onnx", "precision is tf32, which only GPUs have");
    if (options.precision == model::Precision::kBf16) {
      if (const std::string why = no_bf16_here(); !why.empty())
        fail_argument("open_onnx", "precision is bf16 on the CPU, but " + why);
    }
    return at::kCPU;
  }
  if (!at::hasCUDA()) {
    fail_argument("open_onnx", fmt::format("device is {}, but {}", name(options.device),
                                           at::globalContext().hasCUDART()
                                               ? "no GPU is visible (nvidia-smi, CUDA_VISIBLE_DEVICES)"
                                               : "this LibTorch was built without CUDA"));
  }
  const int gpus = static_cast<int>(at::getNumGPUs());
  const model::Device found = model::device_of_rank(options, gpus);
  if (found.number >= gpus)
    fail_argument("open_onnx", fmt::format("device is {}, must be below cuda:{}", name(found), gpus));
  return {at::kCUDA, static_cast<at::DeviceIndex>(found.number)};
}

std::vector<model::InputInfo> input_infos(const Network& network) {
  std::vector<model::InputInfo> infos;
  for (const NetworkInput& input : network.inputs) {
    const auto type = scalar_type(input.value.type, fmt::format("input '{}'", input.value.name));
    infos.push_back(
        {input.value.name, {input.value.shape.begin(), input.value.shape.end()}, !at::isFloatingType(type)});
  }
  return infos;
}

std::vector<Sizes> input_shapes(const Network& network, const model::OpenOptions& options) {
  std::vector<Sizes> shapes;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const auto named = options.named_shapes.find(network.inputs[i].value.name);
    if (named != options.named_shapes.end()) {
      shapes.emplace_back(named->second.begin(), named->second.end());
    } else {
      shapes.push_back(i < options.shapes.size() ? Sizes(options.shapes[i].begin(), options.shapes[i].end())
                                                 : Sizes());
    }
  }
  return shapes;
}

// As model/layout.h calls it.
std::string step_name(const Network& network, const Step& step) {
  const bool linear = step.node.op == "MatMul" && step.inputs.size() == 2 &&
                      network.is_constant(step.inputs[1]) && network.constants[step.inputs[1]].dim() == 2;
  return linear ? "linear" : step.node.op;
}

void collect_layers(Prepared& prepared) {
  const Network& network = prepared.network;
  std::map<Slot, model::Layout> layouts;
  for (const Step& step : network.steps) {
    if (step.op == nullptr) continue;
    std::vector<model::Layout> given;
    for (const Slot slot : step.inputs) given.push_back(layouts[slot]);
    const model::Layout layout = model::layout_after(step_name(network, step), given);
    for (const Slot slot : step.outputs) {
      if (slot == kNoSlot) continue;
      layouts[slot] = layout;
      const SlotShape& shape = prepared.study.shapes[slot];
      if (shape.shape.empty() || (shape.batch_dim < 0 && prepared.study.batchable)) continue;
      // Of a network that mixes examples: means over all of them, and nothing at all.
      if (shape.shape[shape.batch_at()] % prepared.study.base != 0) continue;
      if (std::find(shape.shape.begin(), shape.shape.end(), 0) != shape.shape.end()) continue;
      model::Layer layer;
      layer.name = network.names[slot];
      layer.node = step.node.name;
      layer.op = step.node.op;
      const std::vector<onnx::Scope> scopes = onnx::scopes_of(step.node);
      if (!scopes.empty()) layer.path = scopes.back().module;
      layer.size = 1;
      for (std::size_t i = 0; i < shape.shape.size(); ++i) {
        const bool is_batch = i == shape.batch_at();
        const auto size = is_batch ? shape.shape[i] / prepared.study.base : shape.shape[i];
        if (!is_batch || size != 1) layer.shape.push_back(size);
        layer.size *= size;
      }
      layer.channels_first = model::is_channels_first(layout, std::ssize(layer.shape) + 1);
      layer.pooled_size = model::pooled_size(layer.shape, layer.channels_first);
      prepared.facts.layers.push_back(std::move(layer));
      prepared.layer_slots.push_back(slot);
    }
  }
}

// layer_slots, with kNoSlot in place of token ids, masks and the like.
std::vector<Slot> real_layers(const Prepared& prepared) {
  std::vector<Slot> slots = prepared.layer_slots;
  for (Slot& slot : slots) {
    if (!at::isFloatingType(prepared.study.shapes[slot].type)) slot = kNoSlot;
  }
  return slots;
}

void set_up_torch(const at::Device& device, const model::OpenOptions& options) {
  // More than there are processors gain nothing, and OpenMP ends the program when it cannot have them.
  const int most = std::max(8, available_threads());
  at::set_num_threads(options.threads > 0 ? std::min(options.threads, most) : available_threads());
  if (device.is_cuda()) {
    const bool fast = options.precision == model::Precision::kTf32;
    at::globalContext().setAllowTF32CuBLAS(fast);
    at::globalContext().setAllowTF32CuDNN(fast);
    // Two runs must give the same bytes.
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
  }
}

// CUDA, cuDNN and cuBLAS take half a second to load: beside the study of the network, which needs the CPU.
std::future<void> start_gpu(const Prepared& prepared) {
  const auto options = at::TensorOptions(prepared.device).dtype(prepared.type);
  return in_background([options, order = prepared.order] {
    const at::Tensor x = at::ones({2, 8, 8, 8}, options).contiguous(order);
    const at::Tensor weight = at::ones({8, 8, 3, 3}, options).contiguous(order);
    const at::Tensor bias = at::ones({8}, options);
    const Sizes one = {1, 1};
    const at::Tensor fused = at::cudnn_convolution_relu(x, weight, bias, one, one, one, 1);
    const at::AutoGradMode with_grad(true);
    const at::Tensor start = fused.detach().set_requires_grad(true);
    const at::Tensor y =
        at::convolution(start, weight, bias, one, one, one, false, {0, 0}, 1).relu().flatten(1);
    torch::autograd::grad({at::mm(y, y.t()).sum()}, {start}).front().flatten()[0].item();
  });
}

using Makers = std::map<Slot, const Step*>;

bool passes_on(const std::string& op) {
  static const std::set<std::string> kOps = {"Identity", "Reshape", "Flatten", "Squeeze",
                                             "Cast",     "Dropout", "ZipMap"};
  return kOps.contains(op);
}

bool is_link(const std::string& op) { return op == "Softmax" || op == "LogSoftmax" || op == "Sigmoid"; }

Slot starting_point(const Network& network, Makers& makers, const std::string& output) {
  if (!output.empty()) {
    const auto found = network.slots.find(output);
    if (found != network.slots.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, slot] : network.slots) names.push_back(name);
    throw std::invalid_argument(fmt::format("[find_logits] there is no tensor '{}'; closest: {}", output,
                                            data::closest_names(output, names)));
  }
  for (const onnx::Value& value : network.outputs) {
    const bool real = value.type == onnx::Type::kFloat32 || value.type == onnx::Type::kFloat16 ||
                      value.type == onnx::Type::kFloat64 || value.type == onnx::Type::kBfloat16;
    const Step* maker = makers[network.slots.at(value.name)];
    if (real || (maker != nullptr && maker->node.op == "ZipMap")) return network.slots.at(value.name);
  }
  throw std::runtime_error("[find_logits] the model has no output with real numbers");
}

}  // namespace

Logits find_logits(const Network& network, const std::string& output) {
  Makers makers = makers_of(network);
  const Slot start = starting_point(network, makers, output);
  const Step* maker = makers[start];
  Slot after_maps = start;
  const auto first_input = [](const Step& step) {
    return step.inputs.empty() ? kNoSlot : step.inputs.front();  // ZipMap is not in the table of ops
  };
  while (maker != nullptr && passes_on(maker->node.op) && first_input(*maker) != kNoSlot) {
    if (maker->node.op == "ZipMap") after_maps = first_input(*maker);
    maker = makers[first_input(*maker)];
  }
  if (maker == nullptr || !is_link(maker->node.op) || maker->op == nullptr) return {after_maps, ""};
  const Slot logits = maker->inputs.front();
  return {logits, fmt::format("the final {} was stepped over: logits are '{}'", maker->node.op,
                              network.names[logits])};
}

Prepared prepare(const onnx::Model& graph, const model::OpenOptions& options) {
  check_at_least("open_onnx", "batch", options.batch, 1);
  Prepared prepared;
  prepared.device = checked_device(options);
  prepared.batch = options.batch;
  set_up_torch(prepared.device, options);
  if (options.precision == model::Precision::kBf16) prepared.type = at::kBFloat16;
  std::future<void> gpu;
  if (prepared.device.is_cuda()) {
    if (options.precision == model::Precision::kFp32) prepared.order = at::MemoryFormat::Contiguous;
    gpu = start_gpu(prepared);
  }
  Network& network = prepared.network = build_network(graph);
  model::Facts& facts = prepared.facts;
  facts.inputs = input_infos(network);
  if (const std::size_t count = link_quantised(network); count > 0) {
    facts.notes.push_back(fmt::format(
        "quantised: {} values are rounded as the network does it, and gradients pass straight through",
        count));
  }
  const Logits logits = find_logits(network, options.output);
  if (!logits.note.empty()) facts.notes.push_back(logits.note);
  prepared.logits = logits.slot;
  facts.logits = network.names[logits.slot];
  if (network.is_constant(logits.slot)) {
    throw std::runtime_error("[open_onnx] the output does not depend on the input");
  }
  prepared.study = study_batch(network, logits.slot, input_shapes(network, options));
  const BatchStudy& study = prepared.study;
  if (!study.adapted.empty() && study.batchable) {
    facts.notes.push_back(fmt::format("exported for a batch of {}: {} constants follow larger batches",
                                      study.base, study.adapted.size()));
  }
  if (!study.batchable) {
    facts.notes.push_back(fmt::format("run {} at a time, which is slow ({})", study.base, study.obstacle));
    prepared.batch = study.base;
  }
  facts.logit_count = onnx::element_count(study.shapes[logits.slot].shape, "logits") / study.base;
  collect_layers(prepared);
  facts.modules = find_modules(network, real_layers(prepared), logits.slot);
  fuse_normalisation(network);
  network.fuses_relu = has_conv_relu(prepared.device);
  if (gpu.valid()) gpu.get();
  move_constants(network, prepared.device, prepared.type, prepared.order);
  return prepared;
}

}  // namespace atcav::plugin
