#include "atcav/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav {
namespace {

using testing::ThrowsMessage;

TEST(Checked, FillsWhatDependsOnTheMethod) {
  Options options;
  EXPECT_EQ(checked(options).bootstrap, 1000);
  options.cav.method = stats::CavMethod::kLogistic;
  EXPECT_EQ(checked(options).bootstrap, 200);
  options.bootstrap = 50;
  EXPECT_EQ(checked(options).bootstrap, 50);
}

TEST(Checked, NamesWhatIsWrong) {
  Options options;
  options.permutations = 1'000'000'000;
  EXPECT_THAT(
      [&] { checked(options); },
      ThrowsMessage<std::invalid_argument>("[options] permutations is 1000000000, must be at most 1000000"));
  options.permutations = 999;
  options.bootstrap = 100'001;
  EXPECT_THAT([&] { checked(options); },
              ThrowsMessage<std::invalid_argument>("[options] bootstrap is 100001, must be at most 100000"));
  options.bootstrap = 0;
  options.runs = 1;
  EXPECT_THAT([&] { checked(options); },
              ThrowsMessage<std::invalid_argument>("[options] runs is 1, must be at least 2"));
  options = {};
  options.cav.method = stats::CavMethod::kRidge;
  options.cav.lambda = 0;
  EXPECT_THAT([&] { checked(options); },
              ThrowsMessage<std::invalid_argument>("[options] lambda is 0, must be > 0"));
  options.cav.lambda = 1;
  options.moments_only = true;
  EXPECT_THAT([&] { checked(options); },
              ThrowsMessage<std::invalid_argument>("[options] moments needs cav pattern or fast, not ridge"));
  for (const char* alpha : {"dag", "-1", "0", "inf", "nan", "3x", ""}) {
    EXPECT_THROW(read_alpha(alpha), std::invalid_argument) << alpha;
  }
  options = {};
  options.alpha = {3, 0};
  EXPECT_THAT([&] { checked(options); },
              ThrowsMessage<std::invalid_argument>("[options] alpha is 0, must be > 0"));
}

TEST(Alpha, ComesBackFromItsText) {
  for (const Alpha alpha : {Alpha(Alpha::Kind::kStar), Alpha(Alpha::Kind::kDagger), Alpha(0.1), Alpha(1e300)})
    EXPECT_EQ(read_alpha(alpha_text(alpha)), alpha);
  EXPECT_EQ(alpha_text(read_alpha("3.0")), "3");
}

}  // namespace
}  // namespace atcav
