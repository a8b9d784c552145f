#include "plugins/torch/rows_internal.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/base/check.h"

namespace atcav::plugin {
namespace {

// Batch first, its share of a merged dimension (heads, say) right behind it.
at::Tensor batch_first(const at::Tensor& value, const SlotShape& shape, std::int64_t examples) {
  const auto dim = std::max<std::int64_t>(0, shape.batch_dim);
  Sizes split = value.sizes().vec();
  const auto share = split[static_cast<std::size_t>(dim)] / examples;
  split[static_cast<std::size_t>(dim)] = examples;
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
  return batch_first(value.detach(), shape, examples)
      .reshape({examples, -1})
      .to(at::kCPU, at::kFloat)
      .contiguous();
}

at::Tensor pooled_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples,
                       bool channels_first, bool sum) {
  at::Tensor rows = batch_first(value.detach(), shape, examples).to(at::kFloat);
  const Sizes dims = positions(rows.dim(), channels_first);
  if (!dims.empty()) rows = sum ? rows.sum(dims) : rows.mean(dims);
  return rows.reshape({examples, -1}).to(at::kCPU).contiguous();
}

Index pooled_columns(const Layer& layer, bool channels_first) {
  Index columns = layer.size;
  for (const auto dim : positions(static_cast<std::int64_t>(layer.shape.size()) + 1, channels_first)) {
    columns /= layer.shape[static_cast<std::size_t>(dim) - 1];
  }
  return columns;
}

at::Tensor rows_to_tensor(const InputBatch& batch, const InputInfo& info, Index first, Index count) {
  Index each = 1;
  for (std::size_t i = 1; i < batch.shape.size(); ++i) each *= batch.shape[i];
  const auto have = static_cast<Index>(info.is_integer ? batch.integers.size() : batch.reals.size());
  if (have != each * batch.rows()) {
    fail_argument("Model", fmt::format("input '{}' needs {} numbers of type {}, got {}", info.name,
                                       each * batch.rows(), info.is_integer ? "int64" : "float32", have));
  }
  for (std::size_t i = 1; i < std::max(info.shape.size(), batch.shape.size()); ++i) {
    if (info.shape.size() != batch.shape.size() || (info.shape[i] > 0 && info.shape[i] != batch.shape[i])) {
      fail_argument("Model", fmt::format("input '{}' has the shape {}, the model wants {}", info.name,
                                         onnx::shape_text({batch.shape.begin(), batch.shape.end()}),
                                         onnx::shape_text({info.shape.begin(), info.shape.end()})));
    }
  }
  Sizes shape(batch.shape.begin(), batch.shape.end());
  shape[0] = std::min(count, batch.rows() - first);
  // from_blob wants a pointer it could write through; nothing does.
  const at::Tensor rows =
      info.is_integer
          ? at::from_blob(const_cast<std::int64_t*>(batch.integers.data() + first * each), shape, at::kLong)
          : at::from_blob(const_cast<float*>(batch.reals.data() + first * each), shape, at::kFloat);
  if (shape[0] == count) return rows;
  Sizes repeats(shape.size(), 1);
  repeats[0] = count - shape[0];
  return at::cat({rows, rows.narrow(0, shape[0] - 1, 1).repeat(repeats)}, 0);
}

void copy_rows(const at::Tensor& rows, Index first, Index count, MatrixF& matrix) {
  const Eigen::Map<const MatrixF> values(rows.data_ptr<float>(), rows.size(0), rows.size(1));
  matrix.middleRows(first, count) = values.topRows(count);
}

}  // namespace atcav::plugin
