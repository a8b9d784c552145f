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
    throw std::runtime_error(fmt::format("[nn] {}: {} (input shapes: {})", step.node.title(),
                                         first_line(error.what_without_backtrace()),
                                         shapes_text(call.inputs())));
  } catch (const std::runtime_error&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("[nn] {}: {} (input shapes: {})", step.node.title(),
                                         first_line(error.what()), shapes_text(call.inputs())));
  }
}

Tensors run_if(const Network& network, const Step& step, Values& values, BatchSize size) {
  const Slot slot = step.inputs.front();
  const at::Tensor condition = network.is_constant(slot) ? network.constants[static_cast<std::size_t>(slot)]
                                                         : values[static_cast<std::size_t>(slot)];
  const bool chosen = condition.to(at::kBool).item<bool>();
  for (const Step& inner : chosen ? step.then_steps : step.else_steps) {
    const Tensors results = run_step(network, inner, values, {}, size);
    for (std::size_t i = 0; i < inner.outputs.size() && i < results.size(); ++i) {
      if (inner.outputs[i] != kNoSlot) values[static_cast<std::size_t>(inner.outputs[i])] = results[i];
    }
  }
  Tensors results;
  for (const Slot output : chosen ? step.then_outputs : step.else_outputs) {
    const auto at = static_cast<std::size_t>(output);
    results.push_back(network.constants[at].defined() ? network.constants[at] : values[at]);
  }
  return results;
}

}  // namespace

Tensors run_step(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
                 BatchSize size, bool overwrite_recorded) {
  if (step.op == nullptr && step.then_outputs.empty()) {
    throw std::runtime_error(fmt::format("[nn] {}: this op is not supported", step.node.title()));
  }
  if (step.op == nullptr) return run_if(network, step, values, size);
  Tensors inputs;
  for (const Slot slot : step.inputs) {
    if (slot == kNoSlot) {
      inputs.emplace_back();
    } else if (network.is_constant(slot)) {
      inputs.push_back(network.constants[static_cast<std::size_t>(slot)]);
    } else {
      inputs.push_back(values.at(static_cast<std::size_t>(slot)));
    }
  }
  for (const Slot slot : dying) values[static_cast<std::size_t>(slot)] = at::Tensor();
  if (step.op->arguments == Arguments::on_device) bring_together(inputs);
  const bool overwrite = !inputs.empty() && can_overwrite(inputs.front(), overwrite_recorded);
  const BatchScale scale{step.scaled_dim, size.batch, size.base};
  const Call call(step.node, network.opset, std::move(inputs), scale, overwrite);
  return called(step, call);
}

}  // namespace atcav::plugin
