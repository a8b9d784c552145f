#include "pass/product.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::pass {
namespace {

struct Shape {
  Index m, n, k;
};

class AddProduct : public testing::TestWithParam<Shape> {};

// Rows lie apart (blocks of a wider matrix), as in the pass.
TEST_P(AddProduct, AddsWhatALoopInDoubleAdds) {
  const auto [m, n, k] = GetParam();
  Stream stream(1);
  const MatrixF a = stream.normal_matrix(m, k + 7).cast<float>();
  const MatrixF b = stream.normal_matrix(n, k + 3).cast<float>();
  const Matrix start = stream.normal_matrix(m, n).cast<float>().cast<double>();
  Matrix expected = start;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index c = 0; c < k; ++c) expected(i, j) += double(a(i, c + 2)) * double(b(j, c));
    }
  }

  const MatrixF b_transposed = b.transpose();
  MatrixF rows = start.cast<float>();
  MatrixF plain = rows;
  add_row_products(a.middleCols(2, k), b.leftCols(k), rows);
  add_product(a.middleCols(2, k), b_transposed.topRows(k), plain);
  // Float sums of k products err by about √k roundings of 6e-8 of their size √k.
  const double tolerance = 1e-6 * (1 + static_cast<double>(k));
  EXPECT_LT((rows.cast<double>() - expected).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((plain.cast<double>() - expected).cwiseAbs().maxCoeff(), tolerance);

  Matrix rows_double = start;
  Matrix plain_double = start;
  const Matrix a_double = a.middleCols(2, k).cast<double>();
  add_row_products(a_double, Matrix(b.leftCols(k).cast<double>()), rows_double);
  add_product(a_double, Matrix(b_transposed.topRows(k).cast<double>()), plain_double);
  EXPECT_LT((rows_double - expected).cwiseAbs().maxCoeff(), 1e-8 * tolerance);
  EXPECT_LT((plain_double - expected).cwiseAbs().maxCoeff(), 1e-8 * tolerance);
}

INSTANTIATE_TEST_SUITE_P(Shapes, AddProduct,
                         testing::Values(Shape{1, 1, 1}, Shape{1, 5, 512}, Shape{5, 1, 3}, Shape{7, 9, 500},
                                         Shape{100, 64, 512}, Shape{33, 130, 17}));

}  // namespace
}  // namespace atcav::pass
