#include "atcav/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace atcav {
namespace {

TEST(Stream, SameKeySameNumbersOtherKeyOthers) {
  Stream a(7, {kTaskSplit, 3});
  Stream b(7, {kTaskSplit, 3});
  Stream c(7, {kTaskSplit, 4});
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Stream, UniformHasTheMomentsOfAUniform) {
  Stream stream(1);
  constexpr int kCount = 200000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  // Five standard errors of the mean of u and of u².
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
}

TEST(Stream, NormalHasTheMomentsOfANormal) {
  const Matrix x = Stream(2).normal_matrix(400, 500);
  const double n = static_cast<double>(x.size());
  EXPECT_NEAR(x.mean(), 0, 5 / std::sqrt(n));
  EXPECT_NEAR(x.array().square().mean(), 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(x.array().pow(4).mean(), 3, 5 * std::sqrt(96 / n));
}

TEST(Stream, PermutationHoldsEveryIndexOnce) {
  std::vector<Index> order = Stream(3).permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(Stream(3).permutation(0).empty());
}

// Published FNV-1a test vectors.
TEST(KeyWord, IsFnv1a) {
  EXPECT_EQ(key_word(""), 0xCBF29CE484222325ULL);
  EXPECT_EQ(key_word("a"), 0xAF63DC4C8601EC8CULL);
  EXPECT_EQ(key_word("foobar"), 0x85944171F73967E8ULL);
}

TEST(Stream, BelowIsUniform) {
  Stream stream(4);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[stream.below(7)];
  // Chi-square with 6 degrees of freedom: 22.5 is its 99.9 % point.
  double chi = 0;
  for (const int count : counts) chi += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi, 22.5);
}

}  // namespace
}  // namespace atcav
