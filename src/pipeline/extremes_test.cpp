#include "pipeline/extremes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atcav {
namespace {

using testing::ElementsAre;

TEST(ExtremesOf, LargestAndSmallestFirst) {
  const Extremes ends = extremes_of({3, 5, 1, 5, 2});
  EXPECT_THAT(ends.most, ElementsAre(1, 3, 0)) << "the first of equals first";
  EXPECT_THAT(ends.least, ElementsAre(2, 4, 0));
  EXPECT_EQ(extremes_of(std::vector<double>(100, 1)).least.size(), 6U);
}

}  // namespace
}  // namespace atcav
