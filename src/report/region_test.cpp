#include "report/region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing_results.h"
#include "report/words.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;

Region example_region() {
  Region region{1.5, 0.97, {0.94, 0.99}, 0.99, {0.98, 1}, 0.35, {0.28, 0.41}, {}};
  region.inputs = {0.9, {0.8, 0.95}, {1, 2, -0.5}, 0.83, {0.1, 1.5}, 0.01, 0.02, 0.015};
  return region;
}

TEST(RegionWords, SayWhetherARegionTellsMore) {
  Result result = example_result();
  result.region = example_region();
  EXPECT_EQ(region_words(result, true),
            "striped as a region of layer3: held-out accuracy 0.97 (0.94–0.99), better than its direction: "
            "+0.35 (+0.28 to +0.41).");
  result.region->gain_interval.low = -0.1;
  EXPECT_THAT(region_words(result, false), HasSubstr("not shown to be better than its direction"));
  result.region->gain_interval = {-0.5, -0.1};
  EXPECT_THAT(region_words(result, false), HasSubstr("worse than its direction"));
}

TEST(RegionsHtml, HasARowForEachResultWithARegion) {
  std::vector<Result> results = {example_result(), example_result("<i>")};
  EXPECT_EQ(regions_html(results), "");
  results[1].region = example_region();
  EXPECT_THAT(regions_html(results), HasSubstr("&lt;i&gt;"));
  EXPECT_THAT(regions_html(results), HasSubstr("90\u00a0% (80 to 95)"));
  results[1].region->inputs.reset();
  EXPECT_THAT(regions_html(results), HasSubstr("<td>–</td>"));
}

}  // namespace
}  // namespace atcav::report
