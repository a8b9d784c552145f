#pragma once

#include "atcav/model.h"
#include "model/layout.h"
#include "plugins/torch/exec/batch.h"

// Between tensors and matrices with one row per example.
namespace atcav::plugin {

// value → examples × d, columns in C order, float32, on the device where the value is; `shape` says where the
// batch is.
at::Tensor example_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples);

// The way back: examples × d → a tensor like the one that `shape` was seen on. A copy. Sequences may have
// another length than there: tokens come first, or behind the channels.
at::Tensor rows_to_value(const at::Tensor& rows, const SlotShape& shape, std::int64_t base,
                         bool channels_first = true);

// What is kept of a value by model::Pool: examples × channels; with kNone, and of tensors without a dimension
// beside batch and channels, all. `mask`: examples × tokens, true where a token counts; undefined where all
// do.
struct Pooling {
  model::Pool how;
  at::Tensor mask = {};
  bool channels_first = false;
};
at::Tensor pooled_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples,
                       const Pooling& pooling);
// The same for the gradient at `value`.
at::Tensor pooled_slopes(const at::Tensor& slope, const at::Tensor& value, const SlotShape& shape,
                         std::int64_t examples, const Pooling& pooling);

// Rows first … first+count−1; rows beyond the end repeat the last one.
at::Tensor row_range(const at::Tensor& rows, Index first, Index count);

// The batch as a tensor, without a copy (pixels as bytes, examples × height × width × channels):
// std::invalid_argument if it does not fit what the model says.
at::Tensor batch_tensor(const model::InputBatch& batch, const model::InputInfo& info);

// A result that stays where it was computed until somebody asks for it here.
class TorchRows : public Rows {
 public:
  // One examples × d tensor per mini-batch.
  explicit TorchRows(Tensors parts);
  Index rows() const override;
  Index columns() const override { return parts_.front().size(1); }
  Eigen::Map<const MatrixF> host() const override;
  void copy_to(Eigen::Ref<MatrixF> out) const override;

 private:
  // as<Tensors>(): the parts.
  const void* holder(const std::type_info& type) const override {
    return type == typeid(Tensors) ? &parts_ : nullptr;
  }

  Tensors parts_;
  mutable std::once_flag copied_;
  mutable MatrixF host_;  // unless there is one part and it is here already
};

}  // namespace atcav::plugin
