#include "data/array/array.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>

#include "core/check.h"
#include "data/file/fail.h"
#include "data/file/sha256.h"

namespace atcav::data {
namespace {

template <typename Values>
std::span<const std::byte> bytes_of(const Values& values) {
  return std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size())));
}

constexpr Index kTile = 64;                           // rows that are converted at a time
constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes that are read at a time

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

// A checksum of each row; 0: not read yet.
struct Array::RowChecks {
  std::once_flag made;
  std::vector<std::atomic<XXH64_hash_t>> of_row;
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
  const std::size_t available = reader_->size();
  if (!bytes || offset_ > available || *bytes > available - offset_) {
    fail_argument("Array", fmt::format("{}: shape {} of {} at byte {} does not fit into {} bytes", name_,
                                       to_string(shape_), dtype_name(dtype_), offset_, available));
  }
  if (shape_.empty()) return;
  rows_ = shape_.front();
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) columns_ *= shape_[axis];
  const bool rounds = dtype_ == Dtype::kF64 || dtype_ == Dtype::kI64 || dtype_ == Dtype::kI32;
  if (rounds && size() > 0) seen_ = std::make_shared<Columns>(columns_);
  if (!reader_->in_memory()) checks_ = std::make_shared<RowChecks>();
}

Array::Array(std::string name, std::vector<Array> shards)
    : name_(std::move(name)), offset_(0), dtype_(shards.front().dtype_), shape_(shards.front().shape_) {
  const auto shape_of_row = [](const Array& array) {
    return Shape(array.shape_.begin() + (array.shape_.empty() ? 0 : 1), array.shape_.end());
  };
  const Array& first = shards.front();
  rows_ = 0;
  columns_ = first.columns();
  seen_ = first.seen_;
  for (Array& shard : shards) {
    if (shard.rows() == 0) fail_file("open_array", shard.name_, "has no rows");
    if (shape_of_row(shard) != shape_of_row(first)) {
      fail_file("open_array", shard.name_, "has rows of shape {}, {} has {}", to_string(shape_of_row(shard)),
                first.name_, to_string(shape_of_row(first)));
    }
    if (shard.dtype_ != dtype_) {
      fail_file("open_array", shard.name_, "holds {}, {} holds {}", dtype_name(shard.dtype_), first.name_,
                dtype_name(dtype_));
    }
    shard.seen_ = seen_;
    rows_ += shard.rows_;
  }
  shape_.front() = rows_;
  shards_ = std::make_shared<const std::vector<Array>>(std::move(shards));
}

// read(shard, row of the shard, rows there, rows before).
template <typename Read>
void Array::each_shard(Index first, Index count, Read read) const {
  Index before = 0;
  Index done = 0;
  for (const Array& shard : *shards_) {
    const Index from = first + done - before;
    if (done < count && from < shard.rows_) {
      const Index here = std::min(count - done, shard.rows_ - from);
      read(shard, from, here, done);
      done += here;
    }
    before += shard.rows_;
  }
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
  if (shards_) {
    return each_shard(first, out.rows(), [&](const Array& shard, Index from, Index count, Index done) {
      shard.read_rows(from, out.middleRows(done, count));
    });
  }
  if (seen_) return read_rounded(first, out.rows(), out.data(), out.outerStride());
  gather(first, out.rows(), out.data(), out.outerStride());
}

MatrixF Array::read_float() const {
  MatrixF values(rows(), columns_);
  read_rows(0, values);
  return values;
}

void Array::read_rounded(Index first, Index count, float* out, Index stride) const {
  constexpr Index kNumbers = 1 << 16;
  const Index step = layout_.fortran_order ? kTile : std::clamp<Index>(kNumbers / columns_, 1, kTile);
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
  if (shards_) {
    each_shard(0, rows_, [&](const Array& shard, Index, Index count, Index done) {
      values.middleRows(done, count) = shard.read_double();
    });
    return values;
  }
  gather(0, rows_, values.data(), columns_);
  return values;
}

std::vector<std::int64_t> Array::read_int64() const {
  if (!is_integer(dtype_)) {
    fail_file("read_int64", name_, "holds {}, must hold integers", dtype_name(dtype_));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(size()));
  if (shards_) {
    each_shard(0, rows_, [&](const Array& shard, Index, Index, Index done) {
      std::ranges::copy(shard.read_int64(), values.begin() + done * columns_);
    });
    return values;
  }
  gather(0, rows_, values.data(), columns_);
  return values;
}

std::string Array::file_hash(const std::stop_token& stop) const {
  Sha256 hash;
  if (shards_) {
    for (const Array& shard : *shards_) {
      if (!stop.stop_requested()) hash.update(shard.file_hash(stop));
    }
    return hash.hex();
  }
  const auto add = [&](std::size_t begin, std::size_t end) {
    for (; begin < end && !stop.stop_requested(); begin += kPiece)
      hash.update(reader_->read(begin, std::min(kPiece, end - begin)));
  };
  const std::size_t end = offset_ + static_cast<std::size_t>(size()) * item_size(dtype_);
  add(0, offset_);
  if (size() == 0 || !checks_) {
    add(offset_, end);
  } else {
    const Index step = std::clamp<Index>(static_cast<Index>(kPiece / row_bytes()), 1, rows_);
    std::vector<std::byte> piece(static_cast<std::size_t>(step) * row_bytes());
    for (Index row = 0; row < rows_ && !stop.stop_requested(); row += step) {
      const Index count = std::min(step, rows_ - row);
      read_raw(row, count, piece.data());
      hash.update(std::span(piece).first(static_cast<std::size_t>(count) * row_bytes()));
    }
  }
  add(end, reader_->size());
  return hash.hex();
}

// In C order.
void Array::read_raw(Index first, Index count, std::byte* out) const {
  reader_->read(offset_ + static_cast<std::size_t>(first) * row_bytes(),
                {out, static_cast<std::size_t>(count) * row_bytes()});
  if (!checks_) return;
  std::call_once(checks_->made, [&] {
    checks_->of_row = std::vector<std::atomic<XXH64_hash_t>>(static_cast<std::size_t>(rows_));
  });
  for (Index row = first; row < first + count; ++row, out += row_bytes()) {
    const XXH64_hash_t now = std::max<XXH64_hash_t>(XXH3_64bits(out, row_bytes()), 1);
    XXH64_hash_t before = 0;
    if (!checks_->of_row[static_cast<std::size_t>(row)].compare_exchange_strong(before, now) && before != now)
      fail_file("read_rows", name_, "changed between reads");
  }
}

void Array::check_rows(const char* function, Index first, Index count) const {
  if (first < 0 || count < 0 || first > rows() || count > rows() - first) {
    fail_argument(function, fmt::format("{} has {} rows, not {} from row {} on", name_, rows_, count, first));
  }
}

template <typename T>
void Array::gather(Index first, Index count, T* out, Index stride) const {
  if (size() == 0 || count == 0) return;  // with rows but no columns, their number may be absurd
  if (layout_.fortran_order) return gather_fortran(first, count, out, stride);
  const bool plain = std::is_same_v<T, float> && dtype_ == Dtype::kF32 && !layout_.big_endian;
  if (plain && stride == columns_) return read_raw(first, count, reinterpret_cast<std::byte*>(out));
  const Index step = std::clamp<Index>(static_cast<Index>(kPiece / row_bytes()), 1, count);
  const auto piece =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(step) * row_bytes());
  for (Index done = 0; done < count; done += step) {
    const Index rows = std::min(step, count - done);
    read_raw(first + done, rows, piece.get());
    if (stride == columns_) {
      convert(dtype_, layout_.big_endian, piece.get(), rows * columns_, out + done * stride);
      continue;
    }
    for (Index row = 0; row < rows; ++row) {
      convert(dtype_, layout_.big_endian, piece.get() + static_cast<std::size_t>(row) * row_bytes(), columns_,
              out + (done + row) * stride);
    }
  }
}

// In tiles of few rows, so that the lines of `out` being written stay in the cache.
template <typename T>
void Array::gather_fortran(Index first, Index count, T* out, Index stride) const {
  std::array<T, kTile> values;
  std::array<std::byte, kTile * sizeof(double)> raw;
  for (Index start = 0; start < count; start += kTile) {
    const Index tile = std::min(kTile, count - start);
    for (Index column = 0; column < columns_; ++column) {
      const Index element = fortran_offset(column) + first + start;
      reader_->read(offset_ + static_cast<std::size_t>(element) * item_size(dtype_),
                    std::span(raw).first(static_cast<std::size_t>(tile) * item_size(dtype_)));
      convert(dtype_, layout_.big_endian, raw.data(), tile, values.data());
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

}  // namespace atcav::data
