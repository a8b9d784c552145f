#include "atcav/io/tensor_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <type_traits>
#include <vector>

namespace atcav::io {
namespace {

using testing::ThrowsMessage;

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
}  // namespace atcav::io
