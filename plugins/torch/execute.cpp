#include "plugins/torch/execute.h"

#include <fmt/format.h>

#include <algorithm>

namespace atcav::plugin {
namespace {

std::string shapes_text(const Tensors& inputs) {
  std::string text;
  for (const at::Tensor& input : inputs) {
    if (!text.empty()) text += ", ";
    text += input.defined() ? onnx::shape_text(input.sizes().vec()) : "none";
  }
  return text;
}

// On a GPU some inputs may still be on the host: indices, small constants. Single real numbers may stay
// there, ATen takes them from either side. Where the network runs in bfloat16 everything real does.
void bring_together(Tensors& inputs) {
  const auto on_gpu = std::find_if(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
    return input.defined() && input.is_cuda();
  });
  if (on_gpu == inputs.end()) return;
  const at::Device device = on_gpu->device();
  const bool narrow = std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
    return input.defined() && input.scalar_type() == at::kBFloat16;
  });
  for (at::Tensor& input : inputs) {
    if (!input.defined()) continue;
    const bool real = at::isFloatingType(input.scalar_type());
    if (!input.is_cuda() && (input.dim() > 0 || !real)) input = input.to(device);
    if (narrow && real && input.dim() > 0) input = input.to(at::kBFloat16);
  }
}

bool can_overwrite(const at::Tensor& input, bool recorded) {
  return input.defined() && input.use_count() == 1 && input.has_storage() &&
         input.storage().use_count() == 1 && (!input.requires_grad() || (recorded && !input.is_leaf()));
}

// First line only: the rest is a C++ stack trace.
std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

Tensors called(const Step& step, const Call& call) {
  try {
    return step.op->function(call);
  } catch (const c10::Error& error) {
    throw std::runtime_error(fmt::format("[onnx] {}: {} (input shapes: {})", step.node.title(),
                                         first_line(error.what_without_backtrace()),
                                         shapes_text(call.inputs())));
  } catch (const std::runtime_error&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("[onnx] {}: {} (input shapes: {})", step.node.title(),
                                         first_line(error.what()), shapes_text(call.inputs())));
  }
}

Tensors run_if(const Network& network, const Step& step, Values& values, BatchSize size) {
  const bool chosen = network.value(values, step.inputs.front()).to(at::kBool).item<bool>();
  for (const Step& inner : chosen ? step.then_steps : step.else_steps)
    run_step(network, inner, values, {}, size);
  Tensors results;
  for (const Slot output : chosen ? step.then_outputs : step.else_outputs)
    results.push_back(network.value(values, output));
  return results;
}

Tensors run_op(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
               BatchSize size, bool overwrite_recorded) {
  Tensors inputs;
  for (const Slot slot : step.inputs)
    inputs.push_back(slot == kNoSlot ? at::Tensor() : network.value(values, slot));
  for (const Slot slot : dying) values[slot] = at::Tensor();
  if (step.op->arguments == Arguments::kOnDevice) bring_together(inputs);
  const bool overwrite = !inputs.empty() && can_overwrite(inputs.front(), overwrite_recorded);
  const BatchScale scale{step.scaled_dim, size.batch, size.base};
  return called(step, Call(step.node, network.opset, std::move(inputs), scale, overwrite));
}

}  // namespace

void run_step(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
              BatchSize size, bool overwrite_recorded) {
  if (!step.is_supported())
    throw std::runtime_error(fmt::format("[onnx] {}: this op is not supported", step.node.title()));
  Tensors results = step.op == nullptr ? run_if(network, step, values, size)
                                       : run_op(network, step, values, dying, size, overwrite_recorded);
  for (std::size_t i = 0; i < step.outputs.size() && i < results.size(); ++i) {
    if (step.outputs[i] != kNoSlot) values[step.outputs[i]] = std::move(results[i]);
  }
}

}  // namespace atcav::plugin
