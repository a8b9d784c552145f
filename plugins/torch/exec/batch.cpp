#include "plugins/torch/exec/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/examples.h"
#include "core/check.h"
#include "model/token_mask.h"
#include "plugins/torch/exec/tensor_torch.h"

namespace atcav::plugin {
namespace {

// The one dimension in which the shapes differ, by a factor of two; −1 if there is none or not just one.
std::int64_t grown_dim(const Sizes& once, const Sizes& twice) {
  if (once.size() != twice.size()) return -1;
  std::int64_t found = -1;
  for (std::size_t i = 0; i < once.size(); ++i) {
    if (once[i] == twice[i]) continue;
    if (found >= 0 || twice[i] != 2 * once[i]) return -1;
    found = static_cast<std::int64_t>(i);
  }
  return found;
}

// Of the first dimensions.
std::int64_t product(const Sizes& sizes, std::int64_t dims) {
  return c10::multiply_integers(at::IntArrayRef(sizes).slice(0, static_cast<std::size_t>(dims)));
}

// Where a batch in dimension k of `in` ends up in `out`, an arrangement of the same elements: as many of them
// are counted before it. A dimension of its own if there is one; where dimensions were made one (tokens and
// batch, for a matrix product) the one before; else the one that begins there, k itself if that is one; else
// the one that goes across.
std::int64_t landing_dim(const Sizes& in, std::int64_t k, std::int64_t left, const Sizes& out,
                         std::int64_t base) {
  const std::int64_t before = left * product(in, k);
  const auto rank = static_cast<std::int64_t>(out.size());
  std::int64_t passed = 1;
  std::int64_t begins = -1;
  std::int64_t across = -1;
  for (std::int64_t j = 0; j < rank; ++j) {
    const std::int64_t size = out[static_cast<std::size_t>(j)];
    if (passed == before && size == base) return j;
    if (passed == before && (begins < 0 || j == k)) begins = j;
    if (passed < before && before < passed * size) across = j;
    passed *= size;
  }
  if (begins < 0 && passed == before) begins = rank;
  if (begins > 0 && out.size() < in.size()) return begins - 1;
  return begins >= 0 && begins < rank ? begins : across;
}

Sizes shape_at(const Values& values, const Network& network, Slot slot) {
  const at::Tensor value = network.value(values, slot);
  return value.defined() ? value.sizes().vec() : Sizes();
}

Sizes constant_integers(const Network& network, Slot slot) {
  const at::Tensor list = network.constants[slot].to(at::kLong).contiguous();
  return {list.data_ptr<std::int64_t>(), list.data_ptr<std::int64_t>() + list.numel()};
}

class Study {
 public:
  Study(Network& network, const Plan& plan, bool adapts) : network_(network), plan_(plan), adapts_(adapts) {
    for (Step& step : network.steps) mutable_steps_[&step] = &step;
  }

  void run(const Tensors& once, const Tensors& twice, BatchStudy& study) {
    base_ = study.base;
    Values small = input_values(network_, once);
    Values large = input_values(network_, twice);
    const auto note = [&](Slot slot, bool grows) {
      if (slot == kNoSlot || !small[slot].defined()) return;
      SlotShape& shape = study.shapes[slot];
      shape = {shape_at(small, network_, slot), -1, small[slot].scalar_type()};
      if (!grows) return;
      shape.batch_dim = grown_dim(shape.shape, shape_at(large, network_, slot));
      if (left_.contains(slot)) shape.left = left_[slot];
    };
    for (const NetworkInput& input : network_.inputs) note(input.slot, true);
    bool follows = true;
    for (const PlannedStep& planned : plan_.steps) {
      const Step& step = *planned.step;
      std::vector<Sizes> in_small;
      std::vector<Sizes> in_large;
      for (const Slot slot : step.inputs) {
        in_small.push_back(shape_at(small, network_, slot));
        in_large.push_back(shape_at(large, network_, slot));
      }
      run_step(network_, step, small, planned.dying, {base_, base_});
      if (follows) {
        if (adapts_) adapt(step, in_small, in_large, shape_at(small, network_, step.outputs.front()), study);
        try {
          run_step(network_, step, large, planned.dying, {2 * base_, base_});
        } catch (const std::runtime_error& error) {
          follows = false;
          study.obstacle = error.what();
        }
      }
      for (const Slot slot : step.outputs) {
        if (follows && slot != kNoSlot)
          follow_left(step, in_small, in_large, slot, shape_at(small, network_, slot),
                      shape_at(large, network_, slot));
        note(slot, follows);
      }
    }
    for (const Slot target : plan_.targets) {
      results_once.push_back(small[target]);
      results_twice.push_back(large[target]);
    }
  }

  Tensors results_once, results_twice;

 private:
  std::int64_t left_of(Slot slot) const {
    const auto found = left_.find(slot);
    return found == left_.end() ? 1 : found->second;
  }

  // Rows of tokens and batch stay what they are until they are reshaped; then the elements before the batch
  // are as many as they were.
  void follow_left(const Step& step, const std::vector<Sizes>& small, const std::vector<Sizes>& large,
                   Slot slot, const Sizes& once, const Sizes& twice) {
    const auto dim = grown_dim(once, twice);
    if (dim < 0) return;
    static const std::set<std::string_view> kReshapes = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
    for (std::size_t i = 0; i < small.size(); ++i) {
      const auto grown = grown_dim(small[i], large[i]);
      if (grown < 0) continue;
      const std::int64_t left = left_of(step.inputs[i]);
      if (kReshapes.contains(step.node.op)) {
        const std::int64_t before = left * product(small[i], grown);
        const std::int64_t outside = product(once, dim);
        if (outside > 0 && before > 0 && before % outside == 0) left_[slot] = before / outside;
        return;
      }
      const bool same = small[i][static_cast<std::size_t>(grown)] == once[static_cast<std::size_t>(dim)];
      if (same && left > 1) left_[slot] = left;
    }
  }

  void adapt(const Step& step, const std::vector<Sizes>& small, const std::vector<Sizes>& large,
             const Sizes& out, BatchStudy& study) {
    std::int64_t dim = -1;
    if (step.node.op == "Reshape") dim = reshape_dim(step, small, large, out);
    if (step.node.op == "Concat") dim = concat_dim(step, small, large);
    if (step.node.op == "Gather") dim = gather_dim(step, small, large);
    if (step.node.op == "Resize" && step.inputs.size() > 3 && network_.is_constant(step.inputs[3]))
      dim = grown_dim(small[0], large[0]);
    if (dim < 0) return;
    mutable_steps_.at(&step)->scaled_dim = dim;
    study.adapted.push_back(step.node.title());
  }

  std::int64_t reshape_dim(const Step& step, const std::vector<Sizes>& small, const std::vector<Sizes>& large,
                           const Sizes& out) const {
    const auto grown = grown_dim(small[0], large[0]);
    if (grown < 0 || step.inputs.size() < 2 || !network_.is_constant(step.inputs[1])) return -1;
    const auto dim = landing_dim(small[0], grown, left_of(step.inputs[0]), out, base_);
    if (dim < 0) return -1;
    const Sizes wanted = constant_integers(network_, step.inputs[1]);
    const auto size = wanted.at(static_cast<std::size_t>(dim));
    return size == -1 || (size == 0 && dim == grown) ? -1 : dim;
  }

  // The whole tensor in one dimension, its elements picked by constant numbers for the exported batch.
  std::int64_t gather_dim(const Step& step, const std::vector<Sizes>& small,
                          const std::vector<Sizes>& large) const {
    if (!network_.is_constant(step.inputs[1]) || small[0].size() != 1) return -1;
    const bool for_batch = !small[1].empty() && small[1][0] == base_;
    return for_batch && left_of(step.inputs[0]) == 1 ? grown_dim(small[0], large[0]) : -1;
  }

  // Some parts grew and another, made for the exported batch, did not.
  std::int64_t concat_dim(const Step& step, const std::vector<Sizes>& small,
                          const std::vector<Sizes>& large) const {
    std::int64_t grown = -1;
    for (std::size_t i = 0; i < small.size(); ++i) grown = std::max(grown, grown_dim(small[i], large[i]));
    const onnx::Attribute* axis = step.node.find("axis");
    const auto rank = static_cast<std::int64_t>(small[0].size());
    if (grown < 0 || rank == 0 || axis == nullptr || (axis->integer + rank) % rank == grown) return -1;
    for (std::size_t i = 0; i < small.size(); ++i) {
      const bool stays = small[i] == large[i] && static_cast<std::int64_t>(small[i].size()) == rank;
      if (stays && small[i][static_cast<std::size_t>(grown)] == base_) return grown;
    }
    return -1;
  }

  Network& network_;
  const Plan& plan_;
  bool adapts_;
  std::int64_t base_ = 1;
  std::map<Slot, std::int64_t> left_;  // see SlotShape; 1 where nothing stands
  std::map<const Step*, Step*> mutable_steps_;
};

// Names an input whose sizes are neither in the file nor given: a likely reason why the network does not run.
std::string guessed(const Network& network, const std::vector<Sizes>& shapes) {
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    const onnx::Value& value = network.inputs[i].value;
    const bool open = std::any_of(value.shape.begin() + std::min<std::ptrdiff_t>(1, std::ssize(value.shape)),
                                  value.shape.end(), [](std::int64_t size) { return size < 0; });
    if (open && (i >= shapes.size() || shapes[i].size() + 1 != value.shape.size()))
      return fmt::format("; the model leaves sizes of '{}' open and {} was tried: give them with --shape",
                         value.name, value.shape.size() == 4 ? 224 : 16);
  }
  return "";
}

// Whether what came out for two batches together is what comes out for each alone.
void check_together(const Study& run, const at::Tensor& alone, Slot output, BatchStudy& study) {
  const auto dim = study.shapes[output].batch_dim;
  if (dim < 0 || study.shapes[output].left > 1) {
    if (study.obstacle.empty()) study.obstacle = "[onnx] the output does not grow with the batch";
    return;
  }
  const at::Tensor expected = at::cat({run.results_once.front(), alone}, dim).to(at::kDouble);
  const at::Tensor together = run.results_twice.front().to(at::kDouble);
  // Rounding differs with the batch size; mixing of examples does more than that.
  const double scale = std::max(1e-6, expected.abs().max().item<double>());
  study.batchable = (expected - together).abs().max().item<double>() <= 1e-3 * scale;
  if (!study.batchable) study.obstacle = "[onnx] results change when inputs are run together";
}

}  // namespace

Tensors example_inputs(const Network& network, const std::vector<Sizes>& shapes, std::int64_t base,
                       int seed) {
  Tensors inputs;
  std::map<std::string, std::int64_t> symbols;  // sizes that inputs share
  for (const NetworkInput& input : network.inputs) {
    Sizes sizes = input.value.shape;
    const Sizes given = inputs.size() < shapes.size() ? shapes[inputs.size()] : Sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] >= 0) continue;
      const std::string& symbol = input.value.symbols[i];
      sizes[i] = i == 0 ? base : sizes.size() == 4 && i >= 2 ? 224 : 16;
      if (i > 0 && given.size() + 1 == sizes.size()) {
        sizes[i] = given[i - 1];
        if (symbols.contains(symbol) && symbols[symbol] != sizes[i]) {
          fail_argument("open_onnx",
                        fmt::format("input '{}' has length {} where others have {}, must be the same ('{}')",
                                    input.value.name, sizes[i], symbols[symbol], symbol));
        }
      } else if (symbols.contains(symbol)) {
        sizes[i] = symbols[symbol];
      }
      if (!symbol.empty()) symbols.emplace(symbol, sizes[i]);
    }
    const auto type = scalar_type(input.value.type, fmt::format("input '{}'", input.value.name));
    const auto count = onnx::element_count(sizes, input.value.name);
    // Multiples of an irrational number, without their whole part, look random enough.
    const at::Tensor numbers = at::frac(at::arange(1, count + 1, at::TensorOptions().dtype(at::kDouble)) *
                                        (0.618033988749895 + 0.1 * seed));
    at::Tensor values = at::isFloatingType(type) ? numbers : at::round(numbers);
    if (model::is_mask(input.value.name))
      values = at::full_like(values, model::mask_of_all(input.value.name));
    inputs.push_back(values.to(type).reshape(sizes));
  }
  return inputs;
}

BatchStudy study_batch(Network& network, Slot output, const std::vector<Sizes>& input_shapes) {
  const at::NoGradGuard no_grad;
  BatchStudy study;
  for (const NetworkInput& input : network.inputs) {
    if (!input.value.shape.empty() && input.value.shape[0] > 0) study.base = input.value.shape[0];
  }
  // Without fusions, so that every tensor of the file is seen.
  Network plain;
  std::swap(plain.fusions, network.fusions);
  const Plan plan = make_plan(network, {output});
  const Tensors first = example_inputs(network, input_shapes, study.base, 0);
  const Tensors second = example_inputs(network, input_shapes, study.base, 1);
  Tensors both;
  for (std::size_t i = 0; i < first.size(); ++i) {
    both.push_back(first[i].dim() > 0 ? at::cat({first[i], second[i]}, 0) : first[i]);
  }
  at::Tensor alone;
  try {
    alone = run_plan(network, plan, input_values(network, second), {study.base, study.base}).front();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + guessed(network, input_shapes));
  }
  // A graph that takes any batch is left as it is.
  for (const bool adapts : {false, true}) {
    study.shapes.assign(network.names.size(), {});
    study.obstacle.clear();
    Study run(network, plan, adapts);
    run.run(first, both, study);
    check_together(run, alone, output, study);
    if (study.batchable) break;
  }
  std::swap(plain.fusions, network.fusions);
  return study;
}

}  // namespace atcav::plugin
