#pragma once

#include "plugins/torch/ops/call.h"

// Index arithmetic that GatherND and ScatterND share: the first k dimensions of a tensor are flattened to
// rows, and k-tuples of indices to row numbers.
namespace atcav::plugin {

// int64, negative ones counted from the end.
at::Tensor wrapped(const at::Tensor& index, std::int64_t size);

// index[..., k] → row numbers [...] among the product of the first k sizes of `shape`.
at::Tensor row_numbers(const at::Tensor& index, const Sizes& shape);

// x of `shape` with its first k dimensions made one.
at::Tensor rows_of(const at::Tensor& x, const Sizes& shape, std::size_t k);

}  // namespace atcav::plugin
