#include "plugins/torch/import/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <new>

#include "plugins/torch/exec/control.h"

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

constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

// Puts one step in place of Conv, Relu and of Conv, Add, Relu wherever nothing else of the plan sees what is
// between them (exec/table.h: conv_relu_op). The plan owns the new steps.
class ReluFuser {
 public:
  ReluFuser(const Network& network, Plan& plan) : network_(network), plan_(plan) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const Step& step = *plan.steps[i].step;
      for (const Slot slot : step.reads) readers_[slot].push_back(i);
      for (const Slot slot : step.outputs) {
        if (slot != kNoSlot) maker_[slot] = i;
      }
    }
  }

  void run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step* step = plan_.steps[i].step;
      if (step == nullptr || step->node.op != "Conv") continue;
      const std::size_t next = only_reader(*step);
      if (next == kNoStep) continue;
      const Step& reader = *plan_.steps[next].step;
      if (reader.node.op == "Relu") {
        replace({i}, next, kNoSlot);
      } else if (const Slot other = addend(reader, *step, i); other != kNoSlot) {
        const std::size_t last = only_reader(reader);
        if (last != kNoStep && plan_.steps[last].step->node.op == "Relu") replace({i, next}, last, other);
      }
    }
    std::erase_if(plan_.steps, [](const PlannedStep& planned) { return planned.step == nullptr; });
  }

 private:
  bool is_seen(Slot slot) const {
    return slot == plan_.start ||
           std::find(plan_.targets.begin(), plan_.targets.end(), slot) != plan_.targets.end();
  }

  std::size_t only_reader(const Step& step) const {
    if (step.outputs.size() != 1 || is_seen(step.outputs.front())) return kNoStep;
    const auto found = readers_.find(step.outputs.front());
    return found != readers_.end() && found->second.size() == 1 ? found->second.front() : kNoStep;
  }

  // What an Add adds to the convolution: another value, which must be there when the convolution runs.
  Slot addend(const Step& add, const Step& conv, std::size_t position) const {
    if (add.node.op != "Add" || add.inputs[0] == add.inputs[1]) return kNoSlot;
    const Slot other = add.inputs[0] == conv.outputs.front() ? add.inputs[1] : add.inputs[0];
    if (network_.is_constant(other)) return kNoSlot;
    const auto made = maker_.find(other);
    // Of two convolutions that are added the later one takes the other.
    if (made != maker_.end() && made->second > position) return kNoSlot;
    return other;
  }

  void replace(const std::vector<std::size_t>& gone, std::size_t relu, Slot addend) {
    const Step& conv = *plan_.steps[gone.front()].step;
    auto step = std::make_shared<Step>(conv);
    step->node.op = "ConvRelu";
    step->op = &conv_relu_op();
    step->inputs.resize(3, kNoSlot);
    if (addend != kNoSlot) step->inputs.push_back(addend);
    step->outputs = plan_.steps[relu].step->outputs;
    step->reads.clear();
    for (const Slot slot : step->inputs) {
      if (slot != kNoSlot) step->reads.push_back(slot);
    }
    for (const std::size_t i : gone) plan_.steps[i].step = nullptr;
    plan_.steps[relu].step = step.get();
    maker_[step->outputs.front()] = relu;
    plan_.fused.push_back(std::move(step));
  }

  const Network& network_;
  Plan& plan_;
  std::map<Slot, std::vector<std::size_t>> readers_;
  std::map<Slot, std::size_t> maker_;
};

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

[[noreturn]] void fail_with_shapes(const Call& call, const std::string& why) {
  call.fail("{} (input shapes: {})", why, shapes_text(call.inputs()));
}

Tensors called(const Step& step, const Call& call) {
  try {
    return step.op->function(call);
  } catch (const c10::OutOfMemoryError&) {
    throw;  // the caller may take fewer examples
  } catch (const c10::Error& error) {
    fail_with_shapes(call, first_line(error));
  } catch (const std::runtime_error& error) {
    if (std::string_view(error.what()).starts_with("[")) throw;
    fail_with_shapes(call, error.what());  // some of LibTorch's come without their kind
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the network
  } catch (const std::future_error&) {
    throw std::bad_alloc();  // oneDNN's way to say so
  } catch (const std::exception& error) {
    fail_with_shapes(call, error.what());
  }
}

Tensors run_op(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
               BatchSize size, bool overwrite_recorded) {
  Tensors inputs;
  for (const Slot slot : step.inputs) {
    inputs.push_back(network.value(values, slot));
    if (slot != kNoSlot && !inputs.back().defined())
      Attributes(step.node).fail("input {} is missing", inputs.size() - 1);
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
  if (step.op == nullptr) Attributes(step.node).fail("this op is not supported");
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
  if (network.fuses_relu) ReluFuser(network, plan).run();
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
