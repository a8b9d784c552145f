#pragma once

#include "plugins/torch/batch.h"
#include "atcav/model/input_batch.h"
#include "atcav/model/model.h"

// Between tensors and matrices with one row per example.
namespace atcav::plugin {

// value → examples × d, columns in C order, float32 on the host; `shape` says where the batch is.
at::Tensor example_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples);

// Activations averaged over positions, or gradients summed over them: examples × channels. Tensors with
// less than one dimension beside batch and channels are left whole.
at::Tensor pooled_rows(const at::Tensor& value, const SlotShape& shape, std::int64_t examples,
                       bool channels_first, bool sum);

// Columns that pooling leaves.
Index pooled_columns(const Layer& layer, bool channels_first);

// Rows first … first+count−1 of the batch as a tensor; rows beyond the end repeat the last one.
at::Tensor rows_to_tensor(const InputBatch& batch, const InputInfo& info, Index first, Index count);

// Copies examples × d into rows first … of the matrix.
void copy_rows(const at::Tensor& rows, Index first, Index count, MatrixF& matrix);

}  // namespace atcav::plugin
