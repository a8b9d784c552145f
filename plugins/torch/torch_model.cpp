#include "atcav/model/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/base/check.h"
#include "plugins/torch/onnx/parse_model.h"
#include "plugins/torch/plan.h"
#include "plugins/torch/prepare_internal.h"
#include "plugins/torch/rows_internal.h"
#include "plugins/torch/tensor_torch.h"

namespace atcav::plugin {

struct Model::Parts : Prepared {
  explicit Parts(Prepared&& prepared) : Prepared(std::move(prepared)) {}

  Index checked_rows(const std::vector<InputBatch>& given) const {
    if (given.size() != inputs.size()) {
      std::string names;
      for (const InputInfo& info : inputs) names += fmt::format(" '{}'", info.name);
      fail_argument("Model", fmt::format("{} inputs are given, the model has {}:{}", given.size(),
                                         inputs.size(), names));
    }
    for (const InputBatch& batch : given) {
      check_same("Model", "examples", "input 0", given.front().rows(), "another input", batch.rows());
    }
    return given.front().rows();
  }

  void check_layers(std::span<const std::size_t> wanted) const {
    for (const std::size_t layer : wanted) {
      if (layer >= layers.size()) fail_argument("Model", fmt::format("layer {} of {}", layer, layers.size()));
    }
  }

  Tensors tensors(const std::vector<InputBatch>& given, Index first, Index count) const {
    Tensors result;
    for (std::size_t i = 0; i < given.size(); ++i) {
      at::Tensor rows = rows_to_tensor(given[i], inputs[i], first, count).to(device);
      const auto declared = scalar_type(network.inputs[i].value.type, inputs[i].name);
      rows = rows.to(declared == at::kFloat ? type : declared);
      if (rows.dim() == 4) rows = rows.contiguous(at::MemoryFormat::ChannelsLast);
      result.push_back(rows);
    }
    return result;
  }

  // Calls body(first row, rows to keep, rows to run, input tensors) for each mini-batch.
  template <typename Body>
  void each_batch(const std::vector<InputBatch>& given, Body body) const {
    const Index rows = checked_rows(given);
    for (Index first = 0; first < rows; first += batch) {
      const Index keep = std::min<Index>(batch, rows - first);
      const Index run = study.batchable ? keep : batch;
      body(first, keep, run, tensors(given, first, run));
    }
  }

  const SlotShape& shape(Slot slot) const { return study.shapes[static_cast<std::size_t>(slot)]; }
  std::vector<Slot> slots(std::span<const std::size_t> wanted) const {
    std::vector<Slot> found;
    for (const std::size_t layer : wanted) found.push_back(layer_slots[layer]);
    return found;
  }

  at::Tensor layer_rows(std::size_t layer, const at::Tensor& value, Index examples, Pool pool,
                        bool sum) const {
    const SlotShape& place = shape(layer_slots[layer]);
    return pool == Pool::none ? example_rows(value, place, examples)
                              : pooled_rows(value, place, examples, channels_first[layer], sum);
  }

  void add_rows(const at::Tensor& rows, Index first, Index keep, Index total, MatrixF& matrix) const {
    if (matrix.rows() == 0) matrix.resize(total, rows.size(1));
    copy_rows(rows, first, keep, matrix);
  }

  BatchSize size(Index run) const { return {run, study.base}; }
};

Model::Model(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::filesystem::path& path, const LoadOptions& options) {
  const onnx::Model graph = onnx::load_model(path);
  try {
    return from_graph(graph, options);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

Model Model::from_graph(const onnx::Model& graph, const LoadOptions& options) {
  return Model(std::make_unique<Parts>(std::move(*prepare(graph, options))));
}

const std::vector<InputInfo>& Model::inputs() const { return parts_->inputs; }
const std::vector<Layer>& Model::layers() const { return parts_->layers; }
const std::string& Model::logits() const {
  return parts_->network.names[static_cast<std::size_t>(parts_->logits)];
}
Index Model::logit_count() const { return parts_->logit_count; }
const std::vector<std::string>& Model::notes() const { return parts_->notes; }

Index Model::columns(std::size_t layer, Pool pool) const {
  parts_->check_layers(std::array{layer});
  const Layer& found = parts_->layers[layer];
  return pool == Pool::none ? found.size : pooled_columns(found, parts_->channels_first[layer]);
}

std::vector<MatrixF> Model::forward_to(std::span<const std::size_t> layers,
                                       const std::vector<InputBatch>& inputs, Pool pool) const {
  const at::NoGradGuard no_grad;
  const Parts& parts = *parts_;
  parts.check_layers(layers);
  const Plan plan = make_plan(parts.network, parts.slots(layers));
  const Index total = parts.checked_rows(inputs);
  std::vector<MatrixF> result(layers.size());
  parts.each_batch(inputs, [&](Index first, Index keep, Index run, const Tensors& tensors) {
    const Tensors values = run_plan(parts.network, plan, tensors, parts.size(run));
    for (std::size_t i = 0; i < layers.size(); ++i) {
      parts.add_rows(parts.layer_rows(layers[i], values[i], run, pool, false), first, keep, total, result[i]);
    }
  });
  return result;
}

std::vector<MatrixF> Model::gradients(std::span<const std::size_t> layers,
                                      const std::vector<InputBatch>& inputs,
                                      const std::vector<Index>& targets, Pool pool) const {
  const Parts& parts = *parts_;
  parts.check_layers(layers);
  const Index total = parts.checked_rows(inputs);
  if (targets.size() != 1 && static_cast<Index>(targets.size()) != total) {
    fail_argument("Model::gradients", fmt::format("{} targets for {} examples", targets.size(), total));
  }
  for (const Index target : targets) {
    if (target < 0 || target >= parts.logit_count) {
      fail_argument("Model::gradients",
                    fmt::format("target is {}, the model has {} logits", target, parts.logit_count));
    }
  }
  const at::AutoGradMode with_grad(true);
  std::vector<Slot> slots = parts.slots(layers);
  slots.push_back(parts.logits);
  const Plan plan = make_plan(parts.network, slots);
  slots.pop_back();
  std::vector<MatrixF> result(layers.size());
  parts.each_batch(inputs, [&](Index first, Index keep, Index run, const Tensors& tensors) {
    const auto start = [&](Slot slot, at::Tensor& value) {
      const bool is_layer = std::find(slots.begin(), slots.end(), slot) != slots.end();
      // Another layer may lie before this one: then the gradient already passes through it.
      if (is_layer && !value.requires_grad()) value = value.detach().set_requires_grad(true);
    };
    Tensors values = run_plan(parts.network, plan, tensors, parts.size(run), start);
    const at::Tensor logits = values.back();
    values.pop_back();
    std::vector<std::int64_t> chosen;
    for (Index i = 0; i < run; ++i) {
      chosen.push_back(
          targets[targets.size() == 1 ? 0 : static_cast<std::size_t>(std::min(first + i, total - 1))]);
    }
    const auto dim = std::max<std::int64_t>(0, parts.shape(parts.logits).batch_dim);
    const at::Tensor rows = logits.movedim(dim, 0).reshape({run, -1});
    const at::Tensor index = at::tensor(chosen, at::kLong).reshape({-1, 1}).to(rows.device());
    const auto grads = torch::autograd::grad({rows.gather(1, index).sum()}, values, {}, false, false,
                                             /*allow_unused=*/true);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (!grads[i].defined()) {
        throw std::runtime_error(
            fmt::format("[Model::gradients] no gradient reaches layer '{}'", parts.layers[layers[i]].name));
      }
      parts.add_rows(parts.layer_rows(layers[i], grads[i], run, pool, true), first, keep, total, result[i]);
    }
  });
  return result;
}

MatrixF Model::run_to_logits(const std::vector<InputBatch>& inputs) const {
  const at::NoGradGuard no_grad;
  const Parts& parts = *parts_;
  const Plan plan = make_plan(parts.network, {parts.logits});
  const Index total = parts.checked_rows(inputs);
  MatrixF result;
  parts.each_batch(inputs, [&](Index first, Index keep, Index run, const Tensors& tensors) {
    const Tensors values = run_plan(parts.network, plan, tensors, parts.size(run));
    parts.add_rows(example_rows(values.front(), parts.shape(parts.logits), run), first, keep, total, result);
  });
  return result;
}

}  // namespace atcav::plugin
