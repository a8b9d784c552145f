#include "atcav/report/thumbnail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atcav/report/testing_results.h"

namespace atcav::report {
namespace {

using testing::ElementsAre;
using testing::Key;

std::vector<Thumbnail> pictures(std::size_t count) {
  std::vector<Thumbnail> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back({std::to_string(i), "data:image/png;base64,AA=="});
  return list;
}

TEST(ExtremesOf, LargestAndSmallestFirst) {
  const Extremes ends = extremes_of({3, 5, 1, 5, 2});
  EXPECT_THAT(ends.most, ElementsAre(1, 3, 0)) << "the first of equals first";
  EXPECT_THAT(ends.least, ElementsAre(2, 4, 0));
  EXPECT_EQ(extremes_of(std::vector<double>(100, 1)).least.size(), 6U);
}

TEST(ShownThumbnails, AreTheExtremesOfAnyResult) {
  Result result = example_result();
  result.sensitivities.assign(20, 0);
  for (int i = 0; i < 20; ++i) result.sensitivities[i] = i;
  const auto shown = shown_thumbnails({result}, {{"zebra", pictures(20)}, {"other", pictures(1)}});
  ASSERT_THAT(shown, ElementsAre(Key("zebra")));
  EXPECT_THAT(shown.at("zebra"), ElementsAre(Key(0), Key(1), Key(2), Key(3), Key(4), Key(5), Key(14), Key(15),
                                             Key(16), Key(17), Key(18), Key(19)));
}

TEST(ShownThumbnails, OfFewInputsAreAll) {
  EXPECT_EQ(shown_thumbnails({example_result()}, {{"zebra", pictures(4)}}).at("zebra").size(), 4U);
  EXPECT_TRUE(shown_thumbnails({example_result()}, {}).empty());
}

TEST(ShownThumbnails, OfTheDetailedResultsOnly) {
  std::vector<Result> results(kDetailed, example_result());
  results.push_back(example_result());
  results.back().class_name = "late";
  EXPECT_THAT(shown_thumbnails(results, {{"zebra", pictures(4)}, {"late", pictures(4)}}),
              ElementsAre(Key("zebra")));
}

TEST(ShownThumbnails, MustLieInThePage) {
  auto list = pictures(4);
  list[1].uri = "https://example.org/a.png";
  EXPECT_THROW(shown_thumbnails({example_result()}, {{"zebra", list}}), std::invalid_argument);
  EXPECT_THROW(shown_thumbnails({example_result()}, {{"zebra", pictures(3)}}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::report
