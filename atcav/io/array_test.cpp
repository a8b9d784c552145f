#include "atcav/io/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace atcav::io {
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
  EXPECT_THROW(array.release_rows(0, 5), std::invalid_argument);
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
  array.release_rows(0, 2);
  EXPECT_EQ(array.read_double(), (Matrix(2, 2) << 1, 2, 3, 4).finished());
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

}  // namespace
}  // namespace atcav::io
