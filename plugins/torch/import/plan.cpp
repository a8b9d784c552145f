#include "plugins/torch/import/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <new>

#include "plugins/torch/exec/control.h"
#include "plugins/torch/import/fuse_relu.h"

namespace atcav::plugin {
namespace {

std::vector<std::size_t> makers(const Network& network) {
  std::vector<std::size_t> maker(network.names.size(), network.steps.size());
  for (std::size_t i = 0; i < network.steps.size(); ++i) {
    for (const Slot slot : network.steps[i].outputs) {
      if (slot != kNoSlot) maker[slot] = i;
    }
  }
  return maker;
}

bool forgets_result(const std::string& op) {
  return op == "Conv" || op == "Add" || op == "Sum" || op == "BatchNormalization" || op == "Gemm";
}

// Fused convolutions take the place of their normalisation unless the convolution's own result is wanted or
// given.
std::vector<const Step*> chosen_steps(const Network& network, const std::vector<Slot>& seen) {
  std::vector<const Step*> steps;
  for (const Step& step : network.steps) steps.push_back(&step);
  for (const Fusion& fusion : network.fusions) {
    const Slot between = network.steps[fusion.conv].outputs.front();
    if (std::find(seen.begin(), seen.end(), between) == seen.end()) steps[fusion.norm] = &fusion.step;
  }
  return steps;
}

// When each value is read for the last time, and whether the memory may then be reused.
void mark_last_reads(const Network& network, Plan& plan) {
  std::map<Slot, int> readers;
  std::map<Slot, const Step*> made_by;
  for (const PlannedStep& planned : plan.steps) {
    for (const Slot slot : planned.step->reads) ++readers[slot];
    for (const Slot slot : planned.step->outputs) made_by[slot] = planned.step;
  }
  std::set<Slot> needed(plan.targets.begin(), plan.targets.end());
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    PlannedStep& planned = plan.steps[i];
    for (const Slot slot : planned.step->reads) {
      if (network.is_constant(slot) || !needed.insert(slot).second) continue;
      planned.dying.push_back(slot);
      const auto maker = made_by.find(slot);
      planned.overwrite_recorded |= planned.step->node.op == "Relu" && readers[slot] == 1 &&
                                    maker != made_by.end() && forgets_result(maker->second->node.op);
    }
  }
}

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
  const at::Device device = on_gpu == inputs.end() ? at::Device(at::kCPU) : on_gpu->device();
  const bool narrow = std::any_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
    return input.defined() && input.scalar_type() == at::kBFloat16;
  });
  for (at::Tensor& input : inputs) {
    if (!input.defined()) continue;
    const bool real = at::isFloatingType(input.scalar_type());
    if (device.is_cuda() && !input.is_cuda() && (input.dim() > 0 || !real)) input = input.to(device);
    if (narrow && real && input.dim() > 0) input = input.to(at::kBFloat16);
  }
}

bool can_overwrite(const at::Tensor& input, bool recorded) {
  return input.defined() && input.use_count() == 1 && input.has_storage() &&
         input.storage().use_count() == 1 && (!input.requires_grad() || (recorded && !input.is_leaf()));
}

Tensors called(const Step& step, const Call& call) {
  const auto failure = [&](const std::string& why) {
    return std::runtime_error(
        fmt::format("[onnx] {}: {} (input shapes: {})", step.node.title(), why, shapes_text(call.inputs())));
  };
  try {
    return step.op->function(call);
  } catch (const c10::OutOfMemoryError&) {
    throw;  // the caller may take fewer examples
  } catch (const c10::Error& error) {
    throw failure(first_line(error));
  } catch (const std::runtime_error& error) {
    if (std::string_view(error.what()).starts_with("[")) throw;
    throw failure(error.what());  // some of LibTorch's come without their kind
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the network
  } catch (const std::future_error&) {
    throw std::bad_alloc();  // oneDNN's way to say so
  } catch (const std::exception& error) {
    throw failure(error.what());
  }
}

Tensors run_op(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
               BatchSize size, bool overwrite_recorded) {
  Tensors inputs;
  for (const Slot slot : step.inputs) {
    inputs.push_back(network.value(values, slot));
    if (slot != kNoSlot && !inputs.back().defined())
      throw std::runtime_error(
          fmt::format("[onnx] {}: input {} is missing", step.node.title(), inputs.size() - 1));
  }
  for (const Slot slot : dying) values[slot] = at::Tensor();
  if (step.op->arguments == Arguments::kOnDevice) bring_together(inputs);
  const bool overwrite = !inputs.empty() && can_overwrite(inputs.front(), overwrite_recorded);
  const BatchScale scale{step.scaled_dim, size.batch, size.base};
  return called(step, Call(step.node, network.opset, std::move(inputs), scale, overwrite, step.types));
}

}  // namespace

std::string first_line(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

void run_step(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
              BatchSize size, bool overwrite_recorded) {
  if (step.op == nullptr)
    throw std::runtime_error(fmt::format("[onnx] {}: this op is not supported", step.node.title()));
  const bool moves_sequence = step.node.op == "Identity" && values.sequences.contains(step.inputs.front());
  if (moves_sequence) {
    values.sequences[step.outputs.front()] = values.sequences.at(step.inputs.front());
    return;
  }
  if (step.is_control()) {
    run_control(network, step, values, size);
    return;
  }
  Tensors results = run_op(network, step, values, dying, size, overwrite_recorded);
  for (std::size_t i = 0; i < step.outputs.size() && i < results.size(); ++i) {
    if (step.outputs[i] != kNoSlot) values[step.outputs[i]] = std::move(results[i]);
  }
}

Plan make_plan(const Network& network, const std::vector<Slot>& targets, Slot start) {
  Plan plan;
  plan.targets = targets;
  plan.start = start;
  const auto maker = makers(network);
  std::vector<Slot> wanted = targets;
  wanted.push_back(start);
  const auto steps = chosen_steps(network, wanted);
  wanted.pop_back();
  std::vector<bool> needed(steps.size(), false);
  std::set<Slot> read(targets.begin(), targets.end());
  while (!wanted.empty()) {
    const Slot slot = wanted.back();
    wanted.pop_back();
    if (slot == kNoSlot || slot == start) continue;
    read.insert(slot);
    const std::size_t step = maker[slot];
    if (step == steps.size() || needed[step]) continue;
    needed[step] = true;
    wanted.insert(wanted.end(), steps[step]->reads.begin(), steps[step]->reads.end());
  }
  plan.reads_inputs = std::any_of(
      network.inputs.begin(), network.inputs.end(),
      [&](const NetworkInput& input) { return input.slot != start && read.contains(input.slot); });
  std::set<std::string> missing;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!needed[i]) continue;
    plan.steps.push_back({steps[i], {}});
    if (steps[i]->op == nullptr) missing.insert(steps[i]->node.title());
  }
  if (!missing.empty())
    throw std::runtime_error(fmt::format("[onnx] not supported: {}", fmt::join(missing, ", ")));
  if (network.fuses_relu) fuse_relu(network, plan);
  mark_last_reads(network, plan);
  return plan;
}

Values input_values(const Network& network, const Tensors& inputs) {
  Values values(network.names.size());
  for (std::size_t i = 0; i < network.inputs.size() && i < inputs.size(); ++i)
    values[network.inputs[i].slot] = inputs[i];
  return values;
}

Values run_to_values(const Network& network, const Plan& plan, const Values& given, BatchSize size,
                     const OnValue& on_value) {
  Values values = given;  // a second reference to each, which keeps run_step from reusing its memory
  const std::set<Slot> targets(plan.targets.begin(), plan.targets.end());
  const auto notice = [&](Slot slot) {
    if (on_value && targets.contains(slot) && values[slot].defined()) on_value(slot, values[slot]);
  };
  for (const NetworkInput& input : network.inputs) notice(input.slot);
  for (const PlannedStep& planned : plan.steps) {
    run_step(network, *planned.step, values, planned.dying, size, planned.overwrite_recorded);
    for (const Slot slot : planned.step->outputs) {
      if (slot == kNoSlot) continue;
      // A step with several outputs may be needed for another one.
      if (slot == plan.start) values[slot] = given[slot];
      notice(slot);
    }
  }
  return values;
}

Tensors run_plan(const Network& network, const Plan& plan, const Values& given, BatchSize size,
                 const OnValue& on_value) {
  const Values values = run_to_values(network, plan, given, size, on_value);
  Tensors results;
  for (const Slot slot : plan.targets) results.push_back(network.value(values, slot));
  return results;
}

}  // namespace atcav::plugin
