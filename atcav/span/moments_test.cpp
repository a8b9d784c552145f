#include "atcav/span/moments.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"

namespace atcav::span {
namespace {

// A million standard deviations from the centre: the naive Σp² - n·mean² would keep four digits.
TEST(Moments, EqualTheMomentsOfAllExamplesFarFromTheCentre) {
  Stream stream(5);
  const Matrix all = stream.normal_matrix(4, 103).array() + 1e6;
  Moments moments(4, 10);
  for (Index first = 0; first < 103; first += 25) {
    moments.add(all.middleCols(first, std::min<Index>(25, 103 - first)));
  }
  const Projections result = moments.result();

  const Projections full{all, Vector::Ones(103), {}};
  EXPECT_EQ(result.count(), 103);
  EXPECT_EQ(result.weights(2), 11);
  EXPECT_EQ(result.weights(3), 10);
  EXPECT_LT((result.mean() - full.mean()).norm(), 1e-14 * full.mean().norm());
  EXPECT_LT((result.variance() - full.variance()).norm(), 1e-9 * full.variance().norm());
  const Vector direction = stream.normal_matrix(4, 1);
  EXPECT_NEAR(result.variance_along(direction) / full.variance_along(direction), 1, 1e-9);

  Vector block = Vector::Zero(4);
  for (Index i = 3; i < 103; i += 10) block += all.col(i) / 10;
  EXPECT_LT((result.values.col(3) - block).norm(), 1e-14 * block.norm());
}

TEST(Moments, OneExampleHasNoVariance) {
  Moments moments(2, 1);
  moments.add(Matrix::Constant(2, 1, 3.0));
  EXPECT_EQ(moments.result().variance(), Vector::Zero(2));
  EXPECT_EQ(moments.result().mean(), Vector::Constant(2, 3.0));
}

}  // namespace
}  // namespace atcav::span
