#include "plugins/torch/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
  const auto reals = batch.pixels ? static_cast<std::size_t>(batch.pixels->size) : batch.reals.size();
  const auto have = static_cast<Index>(info.is_integer ? batch.integers.size() : reals);
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
  Sizes shape(batch.shape.begin(), batch.shape.end());
  if (batch.pixels && !info.is_integer) {
    if (!batch.pixels->channels_last) std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
    return at::from_blob(batch.pixels->values.get(), shape, at::kByte);
  }
  // from_blob wants a pointer it could write through; nothing does.
  return info.is_integer ? at::from_blob(const_cast<std::int64_t*>(batch.integers.data()), shape, at::kLong)
                         : at::from_blob(const_cast<float*>(batch.reals.data()), shape, at::kFloat);
}

TorchRows::TorchRows(Tensors parts) : parts_(std::move(parts)) {}

Index TorchRows::rows() const {
  Index rows = 0;
  for (const at::Tensor& part : parts_) rows += part.size(0);
  return rows;
}

Eigen::Map<const MatrixF> TorchRows::host() const {
  if (parts_.size() == 1 && parts_.front().is_cpu())
    return {parts_.front().data_ptr<float>(), rows(), columns()};
  std::call_once(copied_, [this] {
    host_.resize(rows(), columns());
    copy_to(host_);
  });
  return {host_.data(), rows(), columns()};
}

void TorchRows::copy_to(Eigen::Ref<MatrixF> out) const {
  in_one_line([&] {
    Index first = 0;
    for (const at::Tensor& part : parts_) {
      const Index count = part.size(0);
      at::from_blob(out.row(first).data(), {count, out.cols()}, {out.outerStride(), 1}, at::kFloat)
          .copy_(part);
      first += count;
    }
    return first;
  });
}

std::unique_ptr<DevicePass> TorchRows::start_pass(const DevicePassOptions& options) const {
  return parts_.front().is_cpu() ? nullptr : start_torch_pass(parts_.front(), options);
}

}  // namespace atcav::plugin
