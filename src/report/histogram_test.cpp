#include "report/histogram.h"

#include <gmock/gmock.h>

#include <numeric>

namespace atcav::report {
namespace {

using testing::ElementsAre;

// 24 bins from -12 to 12.
TEST(Histogram, AValueAtTheAnchorCountsBelowIt) {
  const Histogram found = make_histogram({{-12, 0, 0, 0.5, 12}, {1}}, 0);
  EXPECT_EQ(found.from, -12);
  EXPECT_EQ(found.width, 1);
  ASSERT_EQ(found.counts.size(), 2U);
  ASSERT_EQ(found.counts[0].size(), 24U);
  EXPECT_EQ(found.counts[0][0], 1);
  EXPECT_EQ(found.counts[0][11], 2) << "zeros, with what is negative";
  EXPECT_EQ(found.counts[0][12], 1);
  EXPECT_EQ(found.counts[0][23], 1);
  EXPECT_EQ(found.counts[1][12], 1);
  EXPECT_EQ(found.edge(12), 0);
}

TEST(Histogram, OneSidedAndEqualValuesHaveBins) {
  EXPECT_THAT(make_histogram({{2, 2}}, 2).counts[0], ElementsAre(2));
  const Histogram found = make_histogram({{1, 2, 3}}, 0);
  EXPECT_EQ(found.from, 0);
  EXPECT_EQ(std::accumulate(found.counts[0].begin(), found.counts[0].end(), Index{0}), 3);
}

}  // namespace
}  // namespace atcav::report
