#include "atcav/io/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include "atcav/base/check.h"
#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

template <typename Values>
std::span<const std::byte> bytes_of(const Values& values) {
  return std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size())));
}

// Rows that are converted at a time; in Fortran order fewer would read every page again and again.
constexpr Index kTile = 64;

}  // namespace

struct Array::Columns {
  explicit Columns(Index count)
      : low(Vector::Constant(count, std::numeric_limits<double>::infinity())),
        high(-low),
        lost(Vector::Zero(count)) {}

  float add(Index i, double exact) {
    const auto rounded = static_cast<float>(exact);
    low[i] = std::min(low[i], exact);
    high[i] = std::max(high[i], exact);
    lost[i] = std::max(lost[i], std::abs(exact - rounded));
    return rounded;
  }

  void merge(const Columns& other) {
    const std::lock_guard lock(mutex);
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
    lost = lost.cwiseMax(other.lost);
  }

  std::mutex mutex;
  Vector low, high;  // smallest and largest number
  Vector lost;       // largest |x − float(x)|
};

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
  const bool rounds = dtype_ == Dtype::kF64 || dtype_ == Dtype::kI64 || dtype_ == Dtype::kI32;
  if (rounds && size() > 0) seen_ = std::make_shared<Columns>(columns_);
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
  if (seen_) return read_rounded(first, out.rows(), out.data(), out.outerStride());
  gather(first, out.rows(), out.data(), out.outerStride());
}

MatrixF Array::read_float() const {
  MatrixF values(rows(), columns_);
  read_rows(0, values);
  return values;
}

void Array::read_rounded(Index first, Index count, float* out, Index stride) const {
  const Index step = layout_.fortran_order ? kTile : 1;
  Matrix block(step, columns_);
  Columns now(columns_);
  for (Index row = 0; row < count; ++row, out += stride) {
    if (row % step == 0) gather(first + row, std::min(step, count - row), block.data(), columns_);
    const double* exact = block.data() + row % step * columns_;
    for (Index i = 0; i < columns_; ++i) out[i] = now.add(i, exact[i]);
    if (Eigen::Map<const Eigen::ArrayXf>(out, columns_).isFinite().all()) continue;
    for (Index i = 0; i < columns_; ++i) {
      if (std::isfinite(exact[i]) && !std::isfinite(out[i])) {
        fail_file("read_rows", name_, "is beyond float32 ({:g}) at row {}, column {}", exact[i], first + row,
                  i);
      }
    }
  }
  seen_->merge(now);
}

Rounding Array::rounding() const {
  constexpr double kTooMuch = 1e-3;
  Rounding result;
  if (!seen_) return result;
  const std::lock_guard lock(seen_->mutex);
  for (Index column = 0; column < columns_; ++column) {
    const double spread = seen_->high[column] - seen_->low[column];
    const double lost = spread > 0 ? seen_->lost[column] / spread : 0;
    if (lost > kTooMuch) ++result.columns;
    if (lost > result.lost) {
      result.worst = column;
      result.lost = lost;
    }
  }
  return result;
}

Matrix Array::read_double() const {
  Matrix values(rows(), columns_);
  gather(0, rows_, values.data(), columns_);
  return values;
}

std::vector<std::int64_t> Array::read_int64() const {
  if (!is_integer(dtype_)) {
    fail_file("read_int64", name_, "holds {}, must hold integers", dtype_name(dtype_));
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
  std::array<T, kTile> values;
  const std::byte* data = reader_->bytes().data() + offset_;
  for (Index start = 0; start < count; start += kTile) {
    const Index tile = std::min(kTile, count - start);
    for (Index column = 0; column < columns_; ++column) {
      const Index element = fortran_offset(column) + first + start;
      convert(dtype_, layout_.big_endian, data + static_cast<std::size_t>(element) * item_size(dtype_), tile,
              values.data());
      for (Index i = 0; i < tile; ++i) out[(start + i) * stride + column] = values[i];
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
