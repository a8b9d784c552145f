#include "atcav/span/gram.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"

namespace atcav::span {
namespace {

struct Case {
  Index first, second, columns;
};

class CentredGram : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto [first, second, columns] = GetParam();
    Stream stream(9);
    a = (stream.normal_matrix(first, columns).array() + 1000).cast<float>();
    b = (stream.normal_matrix(second, columns).array() + 1001).cast<float>();
    centre = a.colwise().mean().transpose();
    const Eigen::RowVectorXd c = centre.cast<double>().transpose();
    Matrix all(first + second + 1, columns);
    all << a.cast<double>().rowwise() - c, b.cast<double>().rowwise() - c, c;
    expected = all * all.transpose();
    // Each entry in units of the two rows it belongs to: the centre is 1000 times longer than a row.
    scale = expected.diagonal().cwiseSqrt();
    sets = {{a.data(), first}, {b.data(), second}};
  }

  double error(const Matrix& gram) const {
    return ((gram - expected).array() / (scale * scale.transpose()).array()).abs().maxCoeff();
  }

  MatrixF a, b;
  Eigen::VectorXf centre;
  Matrix expected;
  Vector scale;
  std::vector<RowBlock> sets;
};

TEST_P(CentredGram, AgreesWithDouble) {
  EXPECT_LT(error(centred_gram(sets, centre, true, 2)), 1e-13);
  EXPECT_LT(error(centred_gram(sets, centre, false, 2)), 1e-6);  // a few float roundings of 6e-8
}

TEST_P(CentredGram, IsSymmetricAndTheSameForAnyNumberOfThreads) {
  const Matrix one = centred_gram(sets, centre, false, 1);
  EXPECT_TRUE((one.array() == one.transpose().array()).all());
  for (const int threads : {2, 3}) {
    EXPECT_TRUE((centred_gram(sets, centre, false, threads).array() == one.array()).all());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CentredGram,
                         testing::Values(Case{2, 1, 3}, Case{20, 11, 513}, Case{40, 300, 700},
                                         Case{5, 30, 9001}));

}  // namespace
}  // namespace atcav::span
