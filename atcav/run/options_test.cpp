#include "atcav/run/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav {
namespace {

using testing::ThrowsMessage;

TEST(Checked, FillsWhatDependsOnTheMethod) {
  Options options;
  EXPECT_EQ(checked(options).bootstrap, 1000);
  EXPECT_EQ(checked(options).permutations, 999);
  options.cav.method = stats::CavMethod::kLogistic;
  EXPECT_EQ(checked(options).bootstrap, 200);
  EXPECT_EQ(checked(options).permutations, 199);
  options.permutations = 50;
  EXPECT_EQ(checked(options).permutations, 50);
}

TEST(Checked, NamesWhatIsWrong) {
  Options options;
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
    options = {};
    options.alpha = {alpha};
    EXPECT_THROW(checked(options), std::invalid_argument) << alpha;
  }
}

}  // namespace
}  // namespace atcav
