#pragma once

#include <cstdint>
#include <span>

#include "atcav/base/matrix.h"
#include "atcav/io/dtype.h"
#include "atcav/io/shape.h"

// What the writers write: numbers that someone else owns, in C order and little-endian.
//
//   write_npy("scores.npy", scores);                              // a MatrixF, Matrix or Vector
//   write_npy("ids.npy", TensorView(ids, {batch, length}));       // std::vector<std::int64_t>
namespace atcav::io {

struct TensorView {
  // Implicit, so that a matrix can be passed where a tensor is wanted. Temporaries would be gone
  // before a map of views is written, so they are refused.
  TensorView(const MatrixF& values);  // NOLINT: F32 of shape (rows, columns)
  TensorView(const Matrix& values);   // NOLINT: F64 of shape (rows, columns)
  TensorView(const Vector& values);   // NOLINT: F64 of shape (size,)
  TensorView(MatrixF&&) = delete;
  TensorView(Matrix&&) = delete;
  TensorView(Vector&&) = delete;
  // std::invalid_argument when the shape does not have as many elements.
  TensorView(std::span<const std::int64_t> values, Shape shape);
  TensorView(std::span<const float> values, Shape shape);
  TensorView(Dtype dtype, std::span<const std::byte> bytes, Shape shape);

  Dtype dtype;
  Shape shape;
  std::span<const std::byte> bytes;
};

}  // namespace atcav::io
