#include "stats/kernel.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// By K or by X and its transpose, in double and in float, for any number of vectors.
TEST(Kernel, MultipliesByTheProductsOfRows) {
  for (const Index columns : {5, 70}) {
    const Matrix rows = Stream(1).normal_matrix(40, columns);
    const Matrix products = rows * rows.transpose();
    const Kernel kernel = Kernel::of_rows(rows, 1);
    EXPECT_EQ(kernel.has_rows(), columns == 5);
    EXPECT_TRUE(kernel.diagonal().isApprox(products.diagonal()));
    const Matrix vectors = Stream(2).normal_matrix(3, 40);
    const Vector own[] = {vectors.row(0), vectors.row(1), vectors.row(2)};
    for (const bool in_float : {false, true}) {
      const std::vector<Vector> found = kernel.times({&own[0], &own[1], &own[2]}, in_float, 2);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(found[i].isApprox(products * own[i], in_float ? 1e-5 : 1e-13));
        EXPECT_EQ(found[i], kernel.times({&own[i]}, in_float, 1).front());
      }
    }
    EXPECT_TRUE(kernel.times(Matrix(vectors.transpose().replicate(1, 8)), 1)
                    .isApprox(products * vectors.transpose().replicate(1, 8), 1e-13));
  }
}

}  // namespace
}  // namespace atcav::stats
