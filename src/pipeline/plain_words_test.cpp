#include "pipeline/plain_words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atcav {
namespace {

TEST(PlainWords, NumbersHaveTheirSign) {
  EXPECT_EQ(signed_number(1.234), "+1.23");
  EXPECT_EQ(signed_number(std::nullopt), "undefined");
  EXPECT_EQ(signed_words(-1, {-2, 0.5}), "−1.00 (−2.00 to +0.50)");
  EXPECT_EQ(signed_words(1, {-HUGE_VAL, HUGE_VAL}), "+1.00");
}

TEST(PlainWords, SmallPAreBounds) {
  EXPECT_EQ(p_words(0.0001), "p < 0.001");
  EXPECT_EQ(p_words(0.25), "p = 0.250");
}

}  // namespace
}  // namespace atcav
