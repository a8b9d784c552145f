#include "atcav/span/weighted_sums.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/base/random.h"

namespace atcav::span {
namespace {

TEST(WeightedSums, AreTheProductForEverySize) {
  for (const Index refits : {1, 3, 4, 130}) {
    for (const Index inputs : {1, 15, 16, 33, 70}) {
      for (const Index rows : {1, 7, 512, 1100}) {
        const Matrix weights = Stream(1).normal_matrix(refits, rows);
        const Eigen::MatrixXd values = Stream(2).normal_matrix(inputs, rows);
        const Matrix expected = weights * values.transpose();
        EXPECT_LT((weighted_sums(weights, values, 2) - expected).cwiseAbs().maxCoeff(),
                  1e-14 * static_cast<double>(rows) + 1e-14)
            << refits << " " << inputs << " " << rows;
      }
    }
  }
}

TEST(WeightedSums, ThreadsChangeNothing) {
  const Matrix weights = Stream(1).normal_matrix(300, 900);
  const Eigen::MatrixXd values = Stream(2).normal_matrix(70, 900);
  EXPECT_EQ(weighted_sums(weights, values, 1), weighted_sums(weights, values, 5));
}

TEST(WeightedSums, ColumnsMustAgree) {
  EXPECT_THROW(weighted_sums(Matrix::Ones(2, 3), Matrix::Ones(4, 5), 1), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::span
