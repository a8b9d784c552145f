#include "atcav/io/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "atcav/base/check.h"
#include "atcav/io/convert.h"
#include "atcav/io/fail.h"

namespace atcav::io {

Array::Array(ReaderPtr reader, std::string name, std::size_t offset, Dtype dtype, Shape shape,
             ArrayLayout layout)
    : reader_(std::move(reader)),
      name_(std::move(name)),
      offset_(offset),
      dtype_(dtype),
      shape_(std::move(shape)),
      layout_(layout) {
  const std::optional<std::size_t> bytes = byte_size(shape_, dtype_);
  const std::size_t available = reader_->bytes().size();
  if (!bytes || offset_ > available || *bytes > available - offset_) {
    fail_argument("Array", fmt::format("{}: shape {} of {} at byte {} does not fit into {} bytes", name_,
                                       to_string(shape_), dtype_name(dtype_), offset_, available));
  }
  if (shape_.empty()) return;
  rows_ = shape_.front();
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) columns_ *= shape_[axis];
}

Index Array::size() const { return rows_ * columns_; }

Index Array::rows() const {
  if (shape_.empty()) {
    fail_file("Array", name_, "is a single number (a 0-d array), must have rows (examples)");
  }
  return rows_;
}

Index Array::columns() const {
  rows();
  return columns_;
}

void Array::read_rows(Index first, Eigen::Ref<MatrixF> out) const {
  check_rows("read_rows", first, out.rows());
  check_same("read_rows", "columns", "the output", out.cols(), name_, columns_);
  gather(first, out.rows(), out.data(), out.outerStride());
}

MatrixF Array::read_float() const {
  MatrixF values(rows(), columns_);
  gather(0, rows_, values.data(), columns_);
  return values;
}

Matrix Array::read_double() const {
  Matrix values(rows(), columns_);
  gather(0, rows_, values.data(), columns_);
  return values;
}

std::vector<std::int64_t> Array::read_int64() const {
  if (!is_integer(dtype_)) {
    fail_file("read_int64", name_, fmt::format("holds {}, must hold integers", dtype_name(dtype_)));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(size()));
  gather(0, rows_, values.data(), columns_);
  return values;
}

void Array::release_rows(Index first, Index count) const {
  check_rows("release_rows", first, count);
  const std::size_t row_bytes = static_cast<std::size_t>(columns_) * item_size(dtype_);
  if (layout_.fortran_order) {
    reader_->release(offset_, static_cast<std::size_t>(rows_) * row_bytes);
  } else {
    reader_->release(offset_ + static_cast<std::size_t>(first) * row_bytes,
                     static_cast<std::size_t>(count) * row_bytes);
  }
}

void Array::check_rows(const char* function, Index first, Index count) const {
  if (first < 0 || count < 0 || first > rows() || count > rows() - first) {
    fail_argument(function, fmt::format("{} has {} rows, not {} from row {} on", name_, rows_, count, first));
  }
}

template <typename T>
void Array::gather(Index first, Index count, T* out, Index stride) const {
  if (size() == 0) return;  // with rows but no columns, their number may be absurd
  if (layout_.fortran_order) return gather_fortran(first, count, out, stride);
  const std::size_t row_bytes = static_cast<std::size_t>(columns_) * item_size(dtype_);
  const std::byte* from = reader_->bytes().data() + offset_ + static_cast<std::size_t>(first) * row_bytes;
  if (stride == columns_) {
    return convert(dtype_, layout_.big_endian, from, count * columns_, out);
  }
  for (Index row = 0; row < count; ++row, from += row_bytes, out += stride) {
    convert(dtype_, layout_.big_endian, from, columns_, out);
  }
}

// In tiles of few rows, so that the lines of `out` being written stay in the cache.
template <typename T>
void Array::gather_fortran(Index first, Index count, T* out, Index stride) const {
  constexpr Index kTile = 64;
  std::array<T, kTile> values;
  const std::byte* data = reader_->bytes().data() + offset_;
  for (Index start = 0; start < count; start += kTile) {
    const Index tile = std::min(kTile, count - start);
    for (Index column = 0; column < columns_; ++column) {
      const Index element = fortran_offset(column) + first + start;
      convert(dtype_, layout_.big_endian, data + static_cast<std::size_t>(element) * item_size(dtype_), tile,
              values.data());
      for (Index i = 0; i < tile; ++i)
        out[(start + i) * stride + column] = values[static_cast<std::size_t>(i)];
    }
  }
}

// Where the element (row 0, column) lies: columns count in C order over all axes but the first.
Index Array::fortran_offset(Index column) const {
  Index offset = 0;
  Index stride = size();
  for (std::size_t axis = shape_.size(); axis-- > 1; column /= shape_[axis]) {
    stride /= shape_[axis];
    offset += column % shape_[axis] * stride;
  }
  return offset;
}

}  // namespace atcav::io
