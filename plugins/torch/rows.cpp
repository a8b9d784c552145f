#include "plugins/torch/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/base/check.h"
#include "plugins/torch/torch_pass.h"

namespace atcav::plugin {
namespace {

// Batch first, its share of a merged dimension (heads, say) right behind it.
at::Tensor batch_first(const at::Tensor& value, const SlotShape& shape, std::int64_t examples) {
  const auto dim = static_cast<std::int64_t>(shape.batch_at());
  Sizes split = value.sizes().vec();
  const auto share = split[shape.batch_at()] / examples;
  split[shape.batch_at()] = examples;
  if (share != 1) split.insert(split.begin() + dim + 1, share);
  return value.reshape(split).movedim(dim, 0);
}

Sizes positions(std::int64_t rank, bool channels_first) {
  Sizes dims;
  if (rank < 3) return dims;
  // N×C×… or N×tokens×features; four dimensions and more are images.
  const bool images = channels_first || rank > 3;
  for (std::int64_t i = images ? 2 : 1; i < (images ? rank : rank - 1); ++i) dims.push_back(i);
  return dims;
}

}  // namespace

at::Tensor example_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples) {
  return batch_first(value.detach(), shape, examples).reshape({examples, -1}).to(at::kFloat).contiguous();
}

at::Tensor rows_to_value(const at::Tensor& rows, const SlotShape& shape, std::int64_t base) {
  const auto examples = rows.size(0);
  Sizes whole = shape.shape;
  whole[shape.batch_at()] = whole[shape.batch_at()] / base * examples;
  Sizes split = shape.shape;
  split[shape.batch_at()] /= base;
  split.insert(split.begin(), examples);
  return rows.reshape(split).movedim(0, static_cast<std::int64_t>(shape.batch_at())).reshape(whole).clone();
}

at::Tensor pooled_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples,
                       bool channels_first, bool sum) {
  at::Tensor rows = batch_first(value.detach(), shape, examples).to(at::kFloat);
  const Sizes dims = positions(rows.dim(), channels_first);
  if (!dims.empty()) rows = sum ? rows.sum(dims) : rows.mean(dims);
  return rows.reshape({examples, -1}).contiguous();
}

Index pooled_columns(const model::Layer& layer, bool channels_first) {
  Index columns = layer.size;
  for (const auto dim : positions(static_cast<std::int64_t>(layer.shape.size()) + 1, channels_first)) {
    columns /= layer.shape[static_cast<std::size_t>(dim) - 1];
  }
  return columns;
}

at::Tensor row_range(const at::Tensor& rows, Index first, Index count) {
  const Index there = std::min(count, rows.size(0) - first);
  at::Tensor range = rows.narrow(0, first, there);
  if (there == count) return range;
  Sizes repeats(static_cast<std::size_t>(rows.dim()), 1);
  repeats[0] = count - there;
  return at::cat({range, range.narrow(0, there - 1, 1).repeat(repeats)}, 0);
}

at::Tensor batch_tensor(const model::InputBatch& batch, const model::InputInfo& info) {
  Index count = 1;
  for (const Index size : batch.shape) count *= size;
  const auto have = static_cast<Index>(info.is_integer ? batch.integers.size() : batch.reals.size());
  if (have != count) {
    fail_argument("Model", fmt::format("input '{}' needs {} numbers of type {}, got {}", info.name, count,
                                       info.is_integer ? "int64" : "float32", have));
  }
  for (std::size_t i = 1; i < std::max(info.shape.size(), batch.shape.size()); ++i) {
    if (info.shape.size() != batch.shape.size() || (info.shape[i] > 0 && info.shape[i] != batch.shape[i])) {
      fail_argument("Model", fmt::format("input '{}' has the shape {}, the model wants {}", info.name,
                                         onnx::shape_text({batch.shape.begin(), batch.shape.end()}),
                                         onnx::shape_text({info.shape.begin(), info.shape.end()})));
    }
  }
  const Sizes shape(batch.shape.begin(), batch.shape.end());
  // from_blob wants a pointer it could write through; nothing does.
  return info.is_integer ? at::from_blob(const_cast<std::int64_t*>(batch.integers.data()), shape, at::kLong)
                         : at::from_blob(const_cast<float*>(batch.reals.data()), shape, at::kFloat);
}

TorchRows::TorchRows(const Tensors& parts) : values_(parts.size() == 1 ? parts.front() : at::cat(parts, 0)) {}

Eigen::Map<const MatrixF> TorchRows::host() const {
  std::call_once(copied_, [this] { host_ = values_.to(at::kCPU); });
  return {host_.data_ptr<float>(), rows(), columns()};
}

std::unique_ptr<DevicePass> TorchRows::start_pass(const DevicePassOptions& options) const {
  return values_.is_cpu() ? nullptr : start_torch_pass(values_, options);
}

}  // namespace atcav::plugin
