#include "core/long_products.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/random.h"

namespace atcav {
namespace {

TEST(LongProducts, AreThoseOfTheRowsForAnyThreads) {
  const Matrix a = Stream(1).normal_matrix(5, 3000);
  const Matrix b = Stream(2).normal_matrix(11, 3000);
  const Matrix products = long_products(a, b, 1);
  EXPECT_TRUE(products.isApprox(a * b.transpose(), 1e-13));
  EXPECT_EQ(long_products(a, b, 3), products);
  const MatrixF narrow = a.cast<float>();
  const Matrix of_floats = long_products(narrow, b, 0);
  EXPECT_TRUE(of_floats.isApprox(narrow.cast<double>() * b.transpose(), 1e-13));
  EXPECT_EQ(long_products(narrow, b, 1), of_floats);
  // A row's products are its own, also as part of a wider matrix.
  EXPECT_EQ(long_products(a.middleRows(2, 1), b, 2), products.middleRows(2, 1));
}

TEST(LongProducts, NeedEqualColumns) {
  EXPECT_THROW(long_products(Matrix(1, 2), Matrix(1, 3), 1), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
