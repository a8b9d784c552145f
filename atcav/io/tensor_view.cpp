#include "atcav/io/tensor_view.h"

#include <fmt/format.h>

#include "atcav/base/check.h"

namespace atcav::io {
namespace {

template <typename Values>
std::span<const std::byte> bytes_of(const Values& values) {
  return std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size())));
}

}  // namespace

TensorView::TensorView(const MatrixF& values)
    : dtype(Dtype::kF32), shape{values.rows(), values.cols()}, bytes(bytes_of(values)) {}

TensorView::TensorView(const Matrix& values)
    : dtype(Dtype::kF64), shape{values.rows(), values.cols()}, bytes(bytes_of(values)) {}

TensorView::TensorView(const Vector& values)
    : dtype(Dtype::kF64), shape{values.size()}, bytes(bytes_of(values)) {}

TensorView::TensorView(std::span<const std::int64_t> values, Shape shape)
    : TensorView(Dtype::kI64, std::as_bytes(values), std::move(shape)) {}

TensorView::TensorView(std::span<const float> values, Shape shape)
    : TensorView(Dtype::kF32, std::as_bytes(values), std::move(shape)) {}

TensorView::TensorView(Dtype dtype, std::span<const std::byte> bytes, Shape shape)
    : dtype(dtype), shape(std::move(shape)), bytes(bytes) {
  if (byte_size(this->shape, dtype) != bytes.size()) {
    fail_argument("TensorView", fmt::format("shape {} of {} does not fit {} bytes", to_string(this->shape),
                                            dtype_name(dtype), bytes.size()));
  }
}

}  // namespace atcav::io
