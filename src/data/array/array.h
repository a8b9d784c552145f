#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "data/array/dtype.h"
#include "data/file/reader.h"

// An N-d array inside a reader: nothing is copied or converted until rows are asked for.
//
//   Array array = open_array("activations.npy");       // (5000, 512, 14, 14) of F16, 1 GB
//   MatrixF block(64, array.columns());                 // 64 × 100352
//   array.read_rows(128, block);                        // examples 128 … 191 as float32
//
// Rows are examples: an array of shape (n, a, b, …) has n rows and a·b·… columns, columns in C order
// whatever the order in the file. A 1-d array (n,) is n rows of one column. A 0-d array has no rows;
// asking for them throws std::runtime_error. Reading is safe from several threads at once.
//
// A row of a file must be the same each time that it is read, by this array or a copy of it: otherwise
// std::runtime_error "changed between reads". Arrays in Fortran order are read into memory when they are
// opened.
namespace atcav::data {

struct ArrayLayout {
  bool big_endian = false;
  bool fortran_order = false;  // the first index runs fastest
};

// What float32 could not hold of the rows read so far. Numbers of a column that lie far from 0 and close to
// each other (1e8 + 0.1, 1e8 + 0.2) become equal in float32; the analysis should say so.
struct Rounding {
  Index columns = 0;  // that lose more than 1e-3 of their spread, the largest less the smallest number
  Index worst = 0;    // the one that loses most
  double lost = 0;    // there: the largest |x − float(x)|, in units of the spread
};

class Array {
 public:
  // `shape` of `dtype` at byte `offset` of the reader; std::invalid_argument if it does not fit there.
  Array(ReaderPtr reader, std::string name, std::size_t offset, Dtype dtype, Shape shape,
        ArrayLayout layout = {});
  // The rows of several files, one file after the other. std::runtime_error naming the first that differs
  // from the one before in the size of a row or the type of its numbers, or has no rows.
  Array(std::string name, std::vector<Array> shards);

  const std::string& name() const { return name_; }  // what messages call it
  Dtype dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  Index size() const;  // number of elements; 1 when 0-d

  Index rows() const;
  Index columns() const;

  // Fills `out` (any count × columns()) with rows first, first+1, …; std::invalid_argument if they are
  // not there. Little-endian F32 in C order is a plain copy. NaN and infinities stay what they are; a finite
  // F64 that float32 cannot hold is a std::runtime_error with its place: "is beyond float32 (1e+39) at …".
  void read_rows(Index first, Eigen::Ref<MatrixF> out) const;
  MatrixF read_float() const;
  // Of all rows that read_rows and read_float have given so far, also through copies of this array. A column
  // whose numbers are all equal loses nothing. Only F64, I64 and I32 can lose anything.
  Rounding rounding() const;
  // Without rounding to float32, for small arrays of statistics.
  Matrix read_double() const;

  // All elements in C order; std::runtime_error when they are floats. Works for 0-d arrays.
  std::vector<std::int64_t> read_int64() const;

  // SHA-256 of the whole file, whose rows must be those that were or will be read; of several files, of their
  // hashes one after the other. Given up half-way at `stop`.
  std::string file_hash(const std::stop_token& stop = {}) const;

 private:
  struct Columns;
  struct RowChecks;
  void read_rounded(Index first, Index count, float* out, Index stride) const;
  template <typename T>
  void gather(Index first, Index count, T* out, Index stride) const;
  template <typename T>
  void gather_fortran(Index first, Index count, T* out, Index stride) const;
  std::size_t row_bytes() const { return static_cast<std::size_t>(columns_) * item_size(dtype_); }
  void read_raw(Index first, Index count, std::byte* out) const;
  void check_rows(const char* function, Index first, Index count) const;
  template <typename Read>
  void each_shard(Index first, Index count, Read read) const;
  Index fortran_offset(Index column) const;

  ReaderPtr reader_;
  std::string name_;
  std::size_t offset_;
  Dtype dtype_;
  Shape shape_;
  ArrayLayout layout_;
  Index rows_ = 1, columns_ = 1;
  std::shared_ptr<const std::vector<Array>> shards_;  // then there is no reader of its own
  std::shared_ptr<Columns> seen_;                     // for the types that are rounded
  std::shared_ptr<RowChecks> checks_;                 // of files
};

// What the writers write: numbers that someone else owns, in C order and little-endian.
//
//   write_npy("scores.npy", scores);                              // a MatrixF, Matrix or Vector
//   write_npy("ids.npy", TensorView(ids, {batch, length}));       // std::vector<std::int64_t>
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

}  // namespace atcav::data
