#include "core/block_product.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav {
namespace {

TEST(MultiplyBlock, InFloatToo) {
  const MatrixF a = Stream(1).normal_matrix(13, 800).cast<float>();
  const MatrixF b = Stream(2).normal_matrix(800, 48).cast<float>();
  MatrixF c;
  multiply_block(a, b, c);
  EXPECT_LT((c.cast<double>() - a.cast<double>() * b.cast<double>()).cwiseAbs().maxCoeff(), 1e-3);
  MatrixF alone = MatrixF::Zero(800, 16);
  alone.col(3) = b.col(40);
  MatrixF product;
  multiply_block(a, alone, product);
  EXPECT_EQ(Eigen::VectorXf(product.col(3)), Eigen::VectorXf(c.col(40)));
}

TEST(MultiplyBlock, IsTheProduct) {
  for (const auto& [rows, inner, width] :
       {std::tuple<Index, Index, Index>{1, 1, 8}, {6, 500, 16}, {13, 800, 40}, {20, 3, 72}}) {
    const Matrix a = Stream(1).normal_matrix(rows, inner);
    const Matrix b = Stream(2).normal_matrix(inner, width);
    Matrix c;
    multiply_block(a, b, c);
    EXPECT_LT((c - a * b).cwiseAbs().maxCoeff(), 1e-12);
  }
}

// What else is in the block must not change a bit.
TEST(MultiplyBlock, ColumnsDoNotKnowTheirNeighbours) {
  const Matrix a = Stream(3).normal_matrix(25, 700);
  const Matrix b = Stream(4).normal_matrix(700, 56);
  Matrix whole;
  multiply_block(a, b, whole);
  for (Index column = 0; column < 56; ++column) {
    Matrix alone = Matrix::Zero(700, 8);
    alone.col(5) = b.col(column);
    Matrix product;
    multiply_block(a, alone, product);
    EXPECT_EQ(Vector(product.col(5)), Vector(whole.col(column))) << column;
  }
}

TEST(RowProducts, AreSymmetricAndTheSameForAnyThreads) {
  const Matrix x = Stream(5).normal_matrix(75, 33);
  const Matrix one = row_products(x, 1);
  EXPECT_LT((one - x * x.transpose()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(one, Matrix(one.transpose()));
  EXPECT_EQ(one, row_products(x, 3));
}

// Few rows have narrower blocks, and the same products to the last digit.
TEST(RowProducts, OfFewRowsAreThoseAmongMany) {
  const Matrix x = Stream(9).normal_matrix(130, 700);
  const Matrix all = row_products(x, 1);
  for (const Index rows : {1, 7, 8, 20, 96, 97})
    EXPECT_EQ(row_products(x.topRows(rows), 2), all.topLeftCorner(rows, rows)) << rows;
}

}  // namespace
}  // namespace atcav
