#include "pass/carried_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace atcav::pass {
namespace {

TEST(CarriedSums, KeepWhatADoubleLoses) {
  CarriedSums sums(Matrix::Zero(1, 3));
  for (const double term : {1e16, 1.0, -1e16}) sums.add(1, Matrix(Matrix::Constant(1, 2, term)));
  EXPECT_EQ(sums.total(), (Matrix(1, 3) << 0, 1, 1).finished());
}

// Floats of very different sizes, where the order changes a sum in double.
TEST(CarriedSums, DoNotDependOnOrderAndGrouping) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> exponent(-30, 10);
  MatrixF terms(1000, 20);
  for (float& value : terms.reshaped()) value = std::ldexp(normal(generator), exponent(generator));
  CarriedSums forwards(Matrix::Zero(1, 20));
  CarriedSums halves(Matrix::Zero(1, 20));
  CarriedSums rest(Matrix::Zero(1, 20));
  Matrix plain = Matrix::Zero(1, 20);
  Matrix plain_backwards = Matrix::Zero(1, 20);
  for (Index i = 0; i < 1000; ++i) {
    forwards.add(0, MatrixF(terms.row(i)));
    (i < 300 ? rest : halves).add(0, MatrixF(terms.row(999 - i)));
    plain += terms.row(i).cast<double>();
    plain_backwards += terms.row(999 - i).cast<double>();
  }
  halves.add(rest);
  EXPECT_NE(plain, plain_backwards);
  EXPECT_EQ(halves.total(), forwards.total());
}

}  // namespace
}  // namespace atcav::pass
