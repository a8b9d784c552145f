#include "plugins/torch/pass/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/check.h"

namespace atcav::plugin {
namespace {

// Batch first; what shares a dimension with it (heads behind it, tokens before it) gets one of its own.
at::Tensor batch_first(const at::Tensor& value, const SlotShape& shape, std::int64_t examples) {
  auto dim = static_cast<std::int64_t>(shape.batch_at());
  Sizes split = value.sizes().vec();
  if (shape.batch_at() >= split.size())
    throw std::runtime_error(
        "[network] a tensor has other dimensions with another batch, which is not supported");
  const auto behind = split[shape.batch_at()] / examples / shape.left;
  split[shape.batch_at()] = examples;
  if (behind != 1) split.insert(split.begin() + dim + 1, behind);
  if (shape.left != 1) split.insert(split.begin() + dim++, shape.left);
  return value.reshape(split).movedim(dim, 0);
}

Sizes positions(const at::Tensor& rows, const Pooling& pooling) {
  const std::vector<Index> dims = model::position_dims(rows.dim(), pooling.channels_first);
  return {dims.begin(), dims.end()};
}

// The mask, where the positions are tokens of which some may not count.
at::Tensor fitting_mask(const at::Tensor& rows, const Sizes& dims, const Pooling& pooling) {
  const bool counts = pooling.how.kind != model::Pool::Kind::kToken || pooling.how == model::Pool::kLast;
  if (!pooling.mask.defined() || dims.size() != 1 || !counts) return {};
  const at::Tensor& mask = pooling.mask;
  if (mask.dim() != 2 || mask.size(1) != rows.size(dims.front()))
    fail_argument("pool",
                  fmt::format("the mask has shape {}, must be {} examples × {} tokens of the layer",
                              onnx::shape_text(mask.sizes().vec()), rows.size(0), rows.size(dims.front())));
  return mask.to(rows.device()).ne(0);
}

// Examples × channels × positions.
at::Tensor positions_last(const at::Tensor& rows, const Sizes& dims) {
  return dims.front() == 2 ? rows.flatten(2) : rows.flatten(1, rows.dim() - 2).transpose(1, 2);
}

// The position to keep for each example and channel: examples × channels × 1.
at::Tensor chosen_positions(const at::Tensor& tokens, const at::Tensor& mask, const Sizes& dims,
                            const Pooling& pooling) {
  const std::int64_t count = tokens.size(2);
  if (pooling.how == model::Pool::kMax) {
    if (!mask.defined()) return tokens.argmax(2, true);
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    return tokens.masked_fill(mask.logical_not().unsqueeze(1), kNever).argmax(2, true);
  }
  if (dims.size() > 1)
    fail_argument("pool", fmt::format("a token is asked for, but the layer has {} dimensions of positions",
                                      dims.size()));
  const Index token = pooling.how.token;
  if (token >= count) fail_argument("pool", fmt::format("token is {}, must be below {}", token, count));
  at::Tensor chosen =
      at::full({tokens.size(0)}, token >= 0 ? token : count - 1, tokens.options().dtype(at::kLong));
  if (token < 0 && mask.defined())
    chosen = (mask.to(at::kLong) * at::arange(count, chosen.options())).amax(1);
  return chosen.reshape({-1, 1, 1}).expand({-1, tokens.size(1), 1});
}

}  // namespace

at::Tensor example_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples) {
  return batch_first(value.detach(), shape, examples).reshape({examples, -1}).to(at::kFloat).contiguous();
}

at::Tensor rows_to_value(const at::Tensor& rows, const SlotShape& shape, std::int64_t base,
                         bool channels_first) {
  const auto examples = rows.size(0);
  Sizes split = shape.shape;
  split[shape.batch_at()] /= base;
  if (const auto seen = c10::multiply_integers(split); seen != rows.size(1)) {
    const std::size_t at = shape.batch_at();
    const std::size_t last = split.size() - 1;
    const std::size_t tokens = channels_first ? (at == last ? last - 1 : last) : (at == 0 ? 1 : 0);
    split[tokens] = rows.size(1) / (seen / split[tokens]);
  }
  Sizes whole = split;
  whole[shape.batch_at()] *= examples;
  auto dim = static_cast<std::int64_t>(shape.batch_at());
  if (shape.left != 1) {
    split[shape.batch_at()] /= shape.left;
    split.insert(split.begin() + dim++, shape.left);
  }
  split.insert(split.begin(), examples);
  return rows.reshape(split).movedim(0, dim).reshape(whole).clone();
}

at::Tensor pooled_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples,
                       const Pooling& pooling) {
  if (pooling.how == model::Pool::kNone) return example_rows(value, shape, examples);
  const at::Tensor rows = batch_first(value.detach(), shape, examples).to(at::kFloat);
  const Sizes dims = positions(rows, pooling);
  if (dims.empty()) return rows.reshape({examples, -1}).contiguous();
  const at::Tensor mask = fitting_mask(rows, dims, pooling);
  if (pooling.how == model::Pool::kMean && !mask.defined())
    return rows.mean(dims).reshape({examples, -1}).contiguous();
  const at::Tensor tokens = positions_last(rows, dims);
  if (pooling.how == model::Pool::kMean) {
    const at::Tensor weights = mask.to(at::kFloat) / mask.sum(1, true).clamp_min(1);
    return at::matmul(tokens, weights.unsqueeze(2)).squeeze(2).contiguous();
  }
  return tokens.gather(2, chosen_positions(tokens, mask, dims, pooling)).squeeze(2).contiguous();
}

at::Tensor pooled_slopes(const at::Tensor& slope, const at::Tensor& value, const SlotShape& shape,
                         std::int64_t examples, const Pooling& pooling) {
  if (pooling.how == model::Pool::kNone) return example_rows(slope, shape, examples);
  const at::Tensor rows = batch_first(slope.detach(), shape, examples).to(at::kFloat);
  const Sizes dims = positions(rows, pooling);
  if (dims.empty()) return rows.reshape({examples, -1}).contiguous();
  const at::Tensor mask = fitting_mask(rows, dims, pooling);
  if (pooling.how == model::Pool::kMean && !mask.defined())
    return rows.sum(dims).reshape({examples, -1}).contiguous();
  const at::Tensor tokens = positions_last(rows, dims);
  if (pooling.how == model::Pool::kMean)
    return at::matmul(tokens, mask.to(at::kFloat).unsqueeze(2)).squeeze(2).contiguous();
  const at::Tensor values = positions_last(batch_first(value.detach(), shape, examples).to(at::kFloat), dims);
  return tokens.gather(2, chosen_positions(values, mask, dims, pooling)).squeeze(2).contiguous();
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
      fail_argument("Model", fmt::format("input '{}' has the shape {}, but the model takes {}", info.name,
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

}  // namespace atcav::plugin
