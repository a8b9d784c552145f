#include "data/array/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "data/file/sha256.h"
#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// 0, 1, 2, … in the order of the file.
Array counting(Shape shape, ArrayLayout layout = {}) {
  std::vector<float> values(*byte_size(shape, Dtype::kF32) / sizeof(float));
  std::iota(values.begin(), values.end(), 0.0f);
  return {read_memory(bytes_of(values)), "x", 0, Dtype::kF32, std::move(shape), layout};
}

TEST(Array, RowsAreTheFirstAxis) {
  const Array array = counting({4, 3, 2});
  EXPECT_EQ(array.rows(), 4);
  EXPECT_EQ(array.columns(), 6);
  EXPECT_EQ(array.size(), 24);
  EXPECT_EQ(counting({5}).rows(), 5);
  EXPECT_EQ(counting({5}).columns(), 1);
  EXPECT_EQ(counting({0, 7}).rows(), 0);
  EXPECT_EQ(counting({0, 7}).columns(), 7);
  EXPECT_EQ(counting({0, 7}).read_float().size(), 0);
  EXPECT_EQ(counting({Index{1} << 60, 0}, {.fortran_order = true}).read_float().size(), 0);
}

TEST(Array, ZeroDimensionalHasNoRows) {
  const Array array = counting({});
  EXPECT_EQ(array.size(), 1);
  for (const auto& use : std::vector<std::function<void()>>{[&] { array.rows(); }, [&] { array.columns(); },
                                                            [&] { array.read_float(); }}) {
    EXPECT_THAT(use, ThrowsMessage<std::runtime_error>(
                         "[Array] x: is a single number (a 0-d array), must have rows (examples)"));
  }
}

TEST(ReadRows, FillsBlocksOfLargerMatrices) {
  const Array array = counting({4, 3});
  MatrixF out = MatrixF::Constant(3, 5, -1);
  array.read_rows(1, out.block(1, 1, 2, 3));
  MatrixF expected(3, 5);
  expected << -1, -1, -1, -1, -1, -1, 3, 4, 5, -1, -1, 6, 7, 8, -1;
  EXPECT_EQ(out, expected);
}

TEST(ReadRows, FortranOrderIsTurnedAround) {
  // In Fortran order element (i, j, k) of a (100, 3, 2) array lies at i + 100 j + 300 k.
  const Array array = counting({100, 3, 2}, {.fortran_order = true});
  MatrixF out(70, 6);
  array.read_rows(20, out);
  for (Index i = 0; i < 70; ++i) {
    for (Index j = 0; j < 3; ++j) {
      for (Index k = 0; k < 2; ++k) ASSERT_EQ(out(i, 2 * j + k), 20 + i + 100 * j + 300 * k);
    }
  }
}

TEST(ReadRows, OutsideTheArrayIsRefused) {
  const Array array = counting({4, 3});
  MatrixF out(2, 3), narrow(2, 2);
  EXPECT_THAT([&] { array.read_rows(3, out); },
              ThrowsMessage<std::invalid_argument>("[read_rows] x has 4 rows, not 2 from row 3 on"));
  EXPECT_THROW(array.read_rows(-1, out), std::invalid_argument);
  EXPECT_THAT([&] { array.read_rows(0, narrow); },
              ThrowsMessage<std::invalid_argument>("[read_rows] the output has 2 columns but x has 3"));
}

TEST(ReadRows, UnalignedDataAndThreads) {
  const std::vector<double> values = {1, 2, 3, 4};
  const Array array(read_memory("abc" + bytes_of(values)), "x", 3, Dtype::kF64, {2, 2});
  std::array<MatrixF, 2> out = {MatrixF(1, 2), MatrixF(1, 2)};
  std::thread first([&] { array.read_rows(0, out[0]); }), second([&] { array.read_rows(1, out[1]); });
  first.join();
  second.join();
  EXPECT_EQ(out[0], (MatrixF(1, 2) << 1, 2).finished());
  EXPECT_EQ(out[1], (MatrixF(1, 2) << 3, 4).finished());
  EXPECT_EQ(array.read_double(), (Matrix(2, 2) << 1, 2, 3, 4).finished());
}

// Whoever overwrites a file in place while it is used gets no mixture of two.
TEST(ReadRows, AFileThatChangesBetweenReadsIsAnError) {
  const testing_support::TempFolder folder;
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::string path = folder.write("x", "head" + bytes_of(values) + "tail");
  const Array array(open_file(path), "x", 4, Dtype::kF32, {3, 2});
  const std::string hash = sha256("head" + bytes_of(values) + "tail");
  MatrixF out(1, 2);
  array.read_rows(1, out);
  EXPECT_EQ(array.file_hash(), hash);
  const std::vector<float> other = {1, 2, 3, 9, 5, 6};
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << "head" + bytes_of(other) + "tail";
  const auto changed = ThrowsMessage<std::runtime_error>("[read_rows] x: changed between reads");
  array.read_rows(0, out);
  EXPECT_THAT([&] { array.read_rows(1, out); }, changed);
  EXPECT_THAT([&] { array.read_double(); }, changed);
  EXPECT_THAT([&] { array.file_hash(); }, changed);
  std::filesystem::resize_file(path, 10);
  EXPECT_THROW(array.read_rows(2, out), std::runtime_error);
}

TEST(FileHash, OfArraysInMemoryAndWithoutRows) {
  EXPECT_EQ(counting({4, 3}).file_hash(), counting({12}).file_hash());
  EXPECT_EQ(Array(read_memory("abc"), "x", 1, Dtype::kF32, {0, 3}).file_hash(), sha256("abc"));
}

Array doubles(const std::vector<double>& values, Shape shape, ArrayLayout layout = {}) {
  return {read_memory(bytes_of(values)), "x", 0, Dtype::kF64, std::move(shape), layout};
}

// Float32 has 24 bits: near 1e8 it holds multiples of 8, so 1e8 + 3 loses 3 and 1e8 + 12 loses 4.
TEST(Rounding, OfAColumnFarFromZero) {
  for (const Array& array : {doubles({0, 1e8 + 3, 7, 1, 1e8 + 12, 7, 0.5, 1e8, 7, 0.2, 1e8 + 8, 7}, {4, 3}),
                             doubles({0, 1, 0.5, 0.2, 1e8 + 3, 1e8 + 12, 1e8, 1e8 + 8, 7, 7, 7, 7}, {4, 3},
                                     {.fortran_order = true})}) {
    EXPECT_EQ(array.rounding().columns, 0);
    MatrixF two(2, 3);
    array.read_rows(0, two);
    EXPECT_DOUBLE_EQ(array.rounding().lost, 4.0 / 9);
    Array(array).read_rows(2, two);
    const Rounding rounding = array.rounding();
    EXPECT_EQ(rounding.columns, 1);
    EXPECT_EQ(rounding.worst, 1);
    EXPECT_DOUBLE_EQ(rounding.lost, 4.0 / 12);
  }
}

TEST(Rounding, OrdinaryAndConstantColumnsLoseNothingOfNote) {
  const Array array = doubles({0.1, 1e30 / 3, -0.7, 1e30 / 3, 3.3, 1e30 / 3}, {3, 2});
  array.read_float();
  EXPECT_EQ(array.rounding().columns, 0);
  EXPECT_LT(array.rounding().lost, 1e-7);
  EXPECT_EQ(counting({4, 3}).rounding().columns, 0);
  const Array integers(read_memory(bytes_of<std::int64_t>({(1 << 24), (1 << 24) + 1})), "x", 0, Dtype::kI64,
                       {2});
  integers.read_float();
  EXPECT_EQ(integers.rounding().lost, 1);
}

TEST(ReadRows, FiniteBeyondFloat32IsNotCalledInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {infinity, std::nan(""), 1, -1e39};
  EXPECT_THAT(
      [&] {
        doubles(values, {2, 2}).read_float();
      },
      ThrowsMessage<std::runtime_error>("[read_rows] x: is beyond float32 (-1e+39) at row 1, column 1"));
  const MatrixF rest = doubles({infinity, -infinity, std::nan(""), 3e38}, {2, 2}).read_float();
  EXPECT_EQ(rest(0, 0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(rest(0, 1), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(rest(1, 0)));
}

TEST(ReadInt64, AnyShapeAndOrder) {
  const std::string bytes = bytes_of<std::int64_t>({1, -2, 3, 4});
  EXPECT_EQ(Array(read_memory(bytes), "x", 0, Dtype::kI64, {2, 2}).read_int64(),
            (std::vector<std::int64_t>{1, -2, 3, 4}));
  EXPECT_EQ(Array(read_memory(bytes), "x", 0, Dtype::kI64, {2, 2}, {.fortran_order = true}).read_int64(),
            (std::vector<std::int64_t>{1, 3, -2, 4}));
  EXPECT_EQ(Array(read_memory(bytes), "x", 8, Dtype::kI64, {}).read_int64(), (std::vector<std::int64_t>{-2}));
  EXPECT_THAT(
      [&] {
        counting({2, 2}).read_int64();
      },
      ThrowsMessage<std::runtime_error>("[read_int64] x: holds F32, must hold integers"));
}

TEST(Array, MustFitIntoTheReader) {
  const ReaderPtr reader = read_memory(std::string(16, '\0'));
  EXPECT_NO_THROW(Array(reader, "x", 0, Dtype::kF32, {4}));
  EXPECT_THAT([&] { Array(reader, "x", 4, Dtype::kF32, {4}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("shape (4,) of F32 at byte 4 does not fit")));
  EXPECT_THROW(Array(reader, "x", 17, Dtype::kF32, {0}), std::invalid_argument);
  EXPECT_THROW(Array(reader, "x", 0, Dtype::kF32, {Index{1} << 62, 4}), std::invalid_argument);
}

TEST(TensorView, MatricesAreSeenRowByRow) {
  const MatrixF values = (MatrixF(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  const TensorView view = values;
  EXPECT_EQ(view.dtype, Dtype::kF32);
  EXPECT_EQ(view.shape, (Shape{2, 3}));
  EXPECT_EQ(view.bytes.size(), 24u);
  EXPECT_EQ(reinterpret_cast<const float*>(view.bytes.data())[2], 3.0f);

  const Vector vector = Vector::Ones(5);
  EXPECT_EQ(TensorView(vector).dtype, Dtype::kF64);
  EXPECT_EQ(TensorView(vector).shape, Shape{5});
  const Matrix matrix = Matrix::Ones(1, 4);
  EXPECT_EQ(TensorView(matrix).shape, (Shape{1, 4}));
}

TEST(TensorView, ShapeMustFit) {
  const std::vector<std::int64_t> ids = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(TensorView(ids, {1, 2, 3}).dtype, Dtype::kI64);
  EXPECT_THAT([&] { TensorView(ids, {4}); },
              ThrowsMessage<std::invalid_argument>("[TensorView] shape (4,) of I64 does not fit 48 bytes"));
  EXPECT_THROW(TensorView(ids, {-2, -3}), std::invalid_argument);
}

TEST(TensorView, TemporariesAreRefused) {
  static_assert(!std::is_constructible_v<TensorView, MatrixF&&>);
  static_assert(!std::is_constructible_v<TensorView, Matrix&&>);
  static_assert(std::is_convertible_v<const Matrix&, TensorView>);
}

}  // namespace
}  // namespace atcav::data
