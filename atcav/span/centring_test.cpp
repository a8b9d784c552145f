#include "atcav/span/centring.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"

namespace atcav::span {
namespace {

// Widths around the number of values a processor takes at a time, rows that lie apart, every start of a fold.
template <typename T>
void expect_centred(Index width, Index first, double tolerance) {
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr Index kRows = 7;
  constexpr Index kFolds = 3;
  Stream stream(1, {static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(first)});
  MatrixF rows(kRows, width + 5);
  for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<float>(stream.normal());
  Eigen::VectorXf centre(width);
  for (Index j = 0; j < width; ++j) centre(j) = static_cast<float>(stream.normal());

  Rows tile(kRows, width);
  Rows sums = Rows::Constant(kFolds, width, T{2});
  centre_rows({rows.data(), kRows, width, rows.cols()}, centre.data(), first, kFolds, tile.data(),
              sums.data());

  const Matrix expected = rows.leftCols(width).cast<double>().rowwise() - centre.cast<double>().transpose();
  Matrix expected_sums = Matrix::Constant(kFolds, width, 2);
  for (Index i = 0; i < kRows; ++i) expected_sums.row((first + i) % kFolds) += expected.row(i);
  EXPECT_LE((tile.template cast<double>() - expected).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE((sums.template cast<double>() - expected_sums).cwiseAbs().maxCoeff(), tolerance);
}

TEST(CentreRows, MatchesEigen) {
  for (const Index width : {1, 3, 4, 8, 15, 16, 17, 33, 100}) {
    for (const Index first : {0, 1, 2, 5}) {
      expect_centred<float>(width, first, 4e-6);  // a few roundings of values up to about 8
      expect_centred<double>(width, first, 8e-15);
    }
  }
}

TEST(CentreRows, NoRowsChangeNothing) {
  float sum = 3;
  float tile = 5;
  const float value = 1;
  centre_rows({&value, 0, 1, 1}, &value, 0, 1, &tile, &sum);
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(tile, 5);
}

}  // namespace
}  // namespace atcav::span
