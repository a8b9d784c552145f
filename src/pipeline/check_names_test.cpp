#include <gmock/gmock.h>

#include <stdexcept>

#include "pipeline/check_config.h"

namespace atcav {
namespace {

TEST(CheckNames, NothingTwiceAndNothingAgainstItself) {
  const auto refused = [](const LayerNames& names, const std::string& message) {
    EXPECT_THAT([&] { check_names(names); },
                testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr(message)));
  };
  check_names({"l", {"a", "b"}, {{"zebra", 1}}, {{0, 1}, {1, 0}}});
  refused({"l", {"a", "a"}, {{"zebra", 1}}, {}}, "the concept 'a' is given twice");
  refused({"l", {"a"}, {{"zebra", 1}, {"zebra", 1}}, {}}, "the class 'zebra' is given twice");
  refused({"l", {"a", "b"}, {{"zebra", 1}}, {{0, 1}, {0, 1}}}, "the relative test 'a:b' is given twice");
  refused({"l", {"a", "b"}, {{"zebra", 1}}, {{1, 1}}}, "two different concepts");
  refused({"l", {}, {{"zebra", 1}}, {}}, "number of concepts");
  refused({"l", {"a"}, {}, {}}, "number of classes");
}

TEST(CheckNames, LayersDiffer) {
  EXPECT_NO_THROW(check_different_layers({"one", "two"}));
  EXPECT_THROW(check_different_layers({"one", "one"}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
