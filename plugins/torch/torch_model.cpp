#include "plugins/torch/torch_model.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>

#include "core/check.h"
#include "core/memory.h"
#include "model/token_mask.h"
#include "plugins/torch/exec/tensor_torch.h"
#include "plugins/torch/import/prepare.h"
#include "plugins/torch/memory_limit.h"
#include "plugins/torch/onnx/parse_model.h"
#include "plugins/torch/pass/held.h"
#include "plugins/torch/pass/rows.h"
#include "plugins/torch/pass/sender.h"
#include "plugins/torch/pass/torch_backend.h"
#include "plugins/torch/pass/torch_trainer.h"

namespace atcav::plugin {
namespace {

using model::InputBatch;
using model::Pool;
using Layers = std::span<const std::size_t>;

class TorchModel : public model::Model, public stats::TrainsAutoencoders {
 public:
  TorchModel(const onnx::Model& graph, const model::OpenOptions& options)
      : net_(prepare(graph, options)), send_(net_.device, net_.type) {
    net_.facts.hash = graph.hash;
    net_.facts.files = graph.files;
  }

  const model::Facts& facts() const override { return net_.facts; }

  std::vector<std::string> remarks() const override {
    return remark_.empty() ? std::vector<std::string>() : std::vector{remark_};
  }

  std::vector<RowsPtr> activations(Layers layers, const std::vector<InputBatch>& inputs, Pool pool) override {
    return forward(layers, inputs, pool, false);
  }

  model::WithLogits activations_with_logits(Layers layers, const std::vector<InputBatch>& inputs,
                                            Pool pool) override {
    return logits_apart(forward(layers, inputs, pool, true));
  }

  model::WithLogits gradients(Layers layers, const std::vector<InputBatch>& inputs,
                              const std::vector<Index>& targets, Pool pool) override {
    return logits_apart(in_one_line([&] {
      check_targets(targets, checked_rows(inputs));
      const at::AutoGradMode with_grad(true);
      const std::vector<Slot> starts = slots(layers);
      std::vector<Slot> wanted = starts;
      wanted.push_back(net_.logits);
      const Plan plan = make_plan(net_.network, wanted);
      const auto start = [&](Slot slot, at::Tensor& value) {
        const bool is_layer = std::find(starts.begin(), starts.end(), slot) != starts.end();
        // Another layer may lie before this one: then the gradient already passes through it.
        if (is_layer && !value.requires_grad()) value = value.detach().set_requires_grad(true);
      };
      return each_batch(inputs, {}, layers.size() + 1, [&](Index first, Index run, const Values& values) {
        Tensors results = run_plan(net_.network, plan, values, {run, net_.study.base}, start);
        const at::Tensor logits = results.back();
        const at::Tensor chosen = chosen_logits(logits, targets, first, run);
        results.pop_back();
        Tensors slopes =
            torch::autograd::grad({chosen.sum()}, results, {}, false, false, /*allow_unused=*/true);
        for (std::size_t i = 0; i < layers.size(); ++i) {
          check_reached(slopes[i], layers[i]);
          slopes[i] =
              pooled_slopes(slopes[i], results[i], shape(starts[i]), run, pooling(layers[i], pool, values));
        }
        slopes.push_back(example_rows(logits, shape(net_.logits), run));
        return slopes;
      });
    }));
  }

  RowsPtr logits(const std::vector<InputBatch>& inputs) override {
    return in_one_line([&] { return run_to_logits(make_plan(net_.network, {net_.logits}), inputs, {}); });
  }

  RowsPtr logits_from(std::size_t layer, const MatrixFRef& activations,
                      const std::vector<InputBatch>& inputs) override {
    return in_one_line([&] {
      return logits_behind(
          layer,
          at::from_blob(const_cast<float*>(activations.data()), {activations.rows(), activations.cols()},
                        {activations.outerStride(), 1}, at::kFloat),
          inputs);
    });
  }

  std::shared_ptr<pass::PassBackend> start_pass(const pass::BackendOptions& options,
                                                const Rows& first) const override {
    const Tensors* there = first.as<Tensors>();
    if (there == nullptr || there->front().is_cpu()) return nullptr;
    return start_torch_backend(there->front(), options);
  }

  std::shared_ptr<stats::AutoencoderTrainer> start_autoencoder(
      const MatrixFRef& rows, const stats::SparseAutoencoder& start) const override {
    return net_.device.is_cpu() ? nullptr : start_torch_trainer(rows, start, net_.device);
  }

  RowsPtr logits_moved(std::size_t layer, const Rows& activations, const model::Steps& steps,
                       const std::vector<InputBatch>& inputs) override {
    return in_one_line([&] { return logits_behind(layer, moved_there(activations, steps), inputs); });
  }

  std::unique_ptr<const model::HeldDirections> hold(const Matrix& directions) const override {
    return net_.device.is_cpu() ? Model::hold(directions) : hold_on(net_.device, directions);
  }

  Eigen::RowVectorXd sum(const Rows& rows, int threads) const override {
    const auto* there = rows.as<Tensors>();
    return there == nullptr || net_.device.is_cpu() ? Model::sum(rows, threads) : sum_there(*there);
  }

  model::TailGradients tail_gradients(std::size_t layer, const Rows& activations, const model::Steps& steps,
                                      const std::vector<InputBatch>& inputs,
                                      std::span<const std::vector<Index>> targets) override {
    return in_one_line([&] {
      for (const std::vector<Index>& target : targets) check_targets(target, activations.rows());
      const at::Tensor rows = moved_there(activations, steps);
      const Plan plan = plan_behind(layer, rows, inputs);
      const at::AutoGradMode with_grad(true);
      const auto body = [&](Index first, Index run, Values& values) {
        at::Tensor& start = values[plan.start];
        start = start.detach().set_requires_grad(true);
        const at::Tensor from = start;
        const at::Tensor logits = run_plan(net_.network, plan, values, {run, net_.study.base}).front();
        Tensors found = {example_rows(logits.detach(), shape(net_.logits), run)};
        for (std::size_t t = 0; t < targets.size(); ++t) {
          const at::Tensor chosen = chosen_logits(logits, targets[t], first, run);
          const bool keep = t + 1 < targets.size();
          const Tensors slope =
              torch::autograd::grad({chosen.sum()}, {from}, {}, keep, false, /*allow_unused=*/true);
          check_reached(slope[0], layer);
          found.push_back(example_rows(slope[0], shape(plan.start), run));
        }
        return found;
      };
      const std::vector<RowsPtr> found = each_batch(plan.reads_inputs ? inputs : std::vector<InputBatch>(),
                                                    rows, targets.size() + 1, body, plan.start);
      return model::TailGradients{found.front(), {found.begin() + 1, found.end()}};
    });
  }

 private:
  const SlotShape& shape(Slot slot) const { return net_.study.shapes[slot]; }

  static model::WithLogits logits_apart(std::vector<RowsPtr> rows) {
    RowsPtr logits = std::move(rows.back());
    rows.pop_back();
    return {std::move(rows), std::move(logits)};
  }

  // Rows at the layers, and behind them the logits if they are asked for.
  std::vector<RowsPtr> forward(Layers layers, const std::vector<InputBatch>& inputs, Pool pool,
                               bool with_logits) {
    return in_one_line([&] {
      const at::NoGradGuard no_grad;
      std::vector<Slot> wanted = slots(layers);
      if (with_logits) wanted.push_back(net_.logits);
      const Plan plan = make_plan(net_.network, wanted);
      return each_batch(inputs, {}, wanted.size(), [&](Index, Index run, const Values& values) {
        Tensors results = run_plan(net_.network, plan, values, {run, net_.study.base});
        for (std::size_t i = 0; i < layers.size(); ++i)
          results[i] = pooled_rows(results[i], shape(wanted[i]), run, pooling(layers[i], pool, values));
        if (with_logits) results.back() = example_rows(results.back(), shape(net_.logits), run);
        return results;
      });
    });
  }

  static at::Tensor moved_there(const Rows& activations, const model::Steps& steps) {
    const Tensors* there = activations.as<Tensors>();
    if (there != nullptr) return moved_rows(there->size() == 1 ? there->front() : at::cat(*there), steps);
    const auto host = activations.host();
    return moved_rows(at::from_blob(const_cast<float*>(host.data()), {host.rows(), host.cols()}, at::kFloat),
                      steps);
  }

  RowsPtr logits_behind(std::size_t layer, const at::Tensor& rows, const std::vector<InputBatch>& inputs) {
    const Plan plan = plan_behind(layer, rows, inputs);
    return run_to_logits(plan, plan.reads_inputs ? inputs : std::vector<InputBatch>(), rows);
  }

  Plan plan_behind(std::size_t layer, const at::Tensor& rows, const std::vector<InputBatch>& inputs) {
    const Slot start = slots(std::array{layer}).front();
    const model::Layer& place = net_.facts.layers[layer];
    // Sequences may have another length than the one that the network was looked at with.
    const Index per_token = place.shape.size() == 2 ? place.pooled_size : place.size;
    if (rows.size(1) % per_token != 0)
      check_same("logits_from", "columns", "activations", rows.size(1), place.name, place.size);
    const Plan plan = make_plan(net_.network, {net_.logits}, start);
    if (plan.reads_inputs && inputs.empty()) {
      fail_argument("logits_from",
                    fmt::format("inputs are empty, but part of the network goes round '{}'", place.name));
    }
    return plan;
  }

  std::vector<Slot> slots(Layers layers) const {
    std::vector<Slot> found;
    for (const std::size_t layer : layers) {
      if (layer >= net_.layer_slots.size())
        fail_argument("Model", fmt::format("layer is {}, must be < {}", layer, net_.layer_slots.size()));
      found.push_back(net_.layer_slots[layer]);
    }
    return found;
  }

  Index checked_rows(const std::vector<InputBatch>& given) const {
    if (given.size() != net_.facts.inputs.size()) {
      std::string names;
      for (const model::InputInfo& info : net_.facts.inputs) names += fmt::format(" '{}'", info.name);
      fail_argument("Model", fmt::format("{} inputs are given, the model has {}:{}", given.size(),
                                         net_.facts.inputs.size(), names));
    }
    for (const InputBatch& batch : given)
      check_same("Model", "examples", "input 0", given.front().rows(), "another input", batch.rows());
    check_at_least("Model", "examples", given.front().rows(), 1);
    return given.front().rows();
  }

  void check_targets(const std::vector<Index>& targets, Index rows) const {
    if (targets.size() != 1 && static_cast<Index>(targets.size()) != rows)
      fail_argument("gradients", fmt::format("{} targets for {} examples", targets.size(), rows));
    for (const Index target : targets) {
      if (target < 0 || target >= net_.facts.logit_count)
        fail_argument("gradients",
                      fmt::format("target is {}, the model has {} logits", target, net_.facts.logit_count));
    }
  }

  void check_reached(const at::Tensor& slope, std::size_t layer) const {
    if (slope.defined()) return;
    throw std::runtime_error(
        fmt::format("[gradients] no gradient reaches layer '{}'", net_.facts.layers[layer].name));
  }

  // (pixel · scale − mean) / std, as data::preprocess rounds it.
  at::Tensor ready_pixels(const at::Tensor& bytes, const model::Pixels& pixels) {
    if (!normalisation_ || normalisation_->mean_values != pixels.how.mean ||
        normalisation_->std_values != pixels.how.std) {
      const auto on_device = [&](const std::vector<float>& values) {
        return at::tensor(values, at::kFloat).to(net_.device);
      };
      normalisation_ = {pixels.how.mean, pixels.how.std, on_device(pixels.how.mean),
                        on_device(pixels.how.std)};
    }
    at::Tensor value = send_(bytes).to(at::kFloat);
    value.mul_(pixels.how.scale).sub_(normalisation_->mean).div_(normalisation_->std);
    if (!pixels.channels_last) value = value.permute({0, 3, 1, 2}).contiguous(net_.order);
    return value.to(net_.type);
  }

  // What the caller gave, on its way in: a copy, since results may share its memory.
  at::Tensor ready(const at::Tensor& given, at::ScalarType declared) {
    at::Tensor value = send_(given).to(declared == at::kFloat ? net_.type : declared);
    if (value.dim() == 4) value = value.contiguous(net_.order);
    return value.is_alias_of(given) ? value.clone() : value;
  }

  // Calls body(first row, rows to run, values to start from) for each mini-batch and joins what it returns,
  // one examples × columns tensor per result. `rows` are the activations of plan.start, if there is one.
  template <typename Body>
  std::vector<RowsPtr> each_batch(const std::vector<InputBatch>& given, const at::Tensor& rows,
                                  std::size_t results, Body body, Slot start = kNoSlot) {
    const Index total = given.empty() && rows.defined() ? rows.size(0) : checked_rows(given);
    if (rows.defined()) check_same("logits_from", "examples", "activations", rows.size(0), "inputs", total);
    Tensors whole;
    for (std::size_t i = 0; i < given.size(); ++i)
      whole.push_back(batch_tensor(given[i], net_.facts.inputs[i]));
    const auto run_from = [&](Index first, Index run) -> Tensors {
      Tensors inputs;
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const at::Tensor part = row_range(whole[i], first, run);
        const auto type = scalar_type(net_.network.inputs[i].value.type, net_.facts.inputs[i].name);
        inputs.push_back(given[i].pixels ? ready_pixels(part, *given[i].pixels) : ready(part, type));
      }
      Values values = input_values(net_.network, inputs);
      if (start != kNoSlot) {
        const auto at = std::find(net_.layer_slots.begin(), net_.layer_slots.end(), start);
        const auto layer = static_cast<std::size_t>(at - net_.layer_slots.begin());
        const at::Tensor value = rows_to_value(row_range(rows, first, run), shape(start), net_.study.base,
                                               net_.facts.layers[layer].channels_first);
        values[start] = ready(value, shape(start).type);
      }
      return body(first, run, values);
    };
    std::vector<Tensors> parts(results);
    for (Index first = 0; first < total;) {
      const Index keep = std::min<Index>(net_.batch, total - first);
      try {
        const Tensors found = run_from(first, examples_to_run(keep, start == kNoSlot));
        for (std::size_t i = 0; i < results; ++i) parts[i].push_back(found[i].narrow(0, 0, keep));
        first += keep;
      } catch (const c10::OutOfMemoryError&) {
        halve_batch(keep);
      }
    }
    std::vector<RowsPtr> joined;
    for (const Tensors& tensors : parts) joined.push_back(std::make_shared<TorchRows>(tensors));
    return joined;
  }

  // cuDNN looks for algorithms whenever a size is new, which takes longer than running examples for nothing:
  // on a GPU a pass from the inputs on has one size; one with gradients, or from a layer on, has two.
  Index examples_to_run(Index wanted, bool from_inputs) const {
    if (!net_.study.batchable) return net_.batch;
    if (!net_.device.is_cuda()) return wanted;
    const bool one_size = from_inputs && !at::GradMode::is_enabled();
    return 4 * wanted <= net_.batch && !one_size ? (net_.batch + 3) / 4 : net_.batch;
  }

  void halve_batch(Index had) {
    if (had == 1 || !net_.study.batchable) {
      throw std::runtime_error(fmt::format(
          "[open_onnx] {} has no room for {} of the model's examples at once", net_.device.str(), had));
    }
    net_.batch = (had + 1) / 2;
    remark_ = fmt::format("{} had no room for {} examples at once: {} were run", net_.device.str(), had,
                          net_.batch);
  }

  RowsPtr run_to_logits(const Plan& plan, const std::vector<InputBatch>& inputs, const at::Tensor& rows) {
    const at::NoGradGuard no_grad;
    const auto body = [&](Index, Index run, const Values& values) -> Tensors {
      return {example_rows(run_plan(net_.network, plan, values, {run, net_.study.base}).front(),
                           shape(net_.logits), run)};
    };
    return each_batch(inputs, rows, 1, body, plan.start).front();
  }

  Pooling pooling(std::size_t layer, Pool pool, const Values& values) const {
    Pooling pooling{pool, {}, net_.facts.layers[layer].channels_first};
    std::vector<std::string> names;
    for (const model::InputInfo& input : net_.facts.inputs) names.push_back(input.name);
    if (const auto mask = model::find_token_mask(names)) {
      const at::Tensor counts = values[net_.network.inputs[*mask].slot].ne(0);
      pooling.mask = model::is_padding_mask(names[*mask]) ? counts.logical_not() : counts;
    }
    return pooling;
  }

  at::Tensor chosen_logits(const at::Tensor& logits, const std::vector<Index>& targets, Index first,
                           Index run) const {
    std::vector<std::int64_t> chosen;
    for (Index i = 0; i < run; ++i) {
      const auto row = std::min(static_cast<std::size_t>(first + i), targets.size() - 1);
      chosen.push_back(targets[row]);
    }
    const auto dim = static_cast<std::int64_t>(shape(net_.logits).batch_at());
    const at::Tensor rows = logits.movedim(dim, 0).reshape({run, -1});
    return rows.gather(1, at::tensor(chosen, at::kLong).reshape({-1, 1}).to(rows.device()));
  }

  struct NormalisationOnDevice {
    std::vector<float> mean_values, std_values;
    at::Tensor mean, std;
  };

  Prepared net_;
  Sender send_;
  std::string remark_;  // about the last time that memory ran out
  std::optional<NormalisationOnDevice> normalisation_;
};

}  // namespace

std::unique_ptr<model::Model> open_torch_model(const std::string& path, const model::OpenOptions& options) {
  // A network asks for the same large pieces again and again; given back to the system and cleared by it each
  // time they cost a quarter of a run.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  limit_tensor_memory(memory_budget(options.memory));
  const onnx::Model graph = onnx::load_model(path);
  try {
    return in_one_line([&] { return std::make_unique<TorchModel>(graph, options); });
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
}

std::unique_ptr<model::Model> make_torch_model(const onnx::Model& graph, const model::OpenOptions& options) {
  return in_one_line([&] { return std::make_unique<TorchModel>(graph, options); });
}

}  // namespace atcav::plugin
