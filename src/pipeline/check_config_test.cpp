#include "pipeline/check_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

void expect_refused(const Config& config, const std::string& why, bool has_directions = false) {
  EXPECT_THAT([&] { check_config(config, has_directions); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(why)));
}

TEST(CheckConfig, DefaultsAreFine) { EXPECT_NO_THROW(check_config({}, false)); }

TEST(CheckConfig, GroupsOfAClassAreSaidOnce) {
  Config config;
  config.gradients = {{"", "z.npy"}};
  config.class_groups = {{"class", "groups.txt"}};
  EXPECT_NO_THROW(check_config(config, false));
  config.class_groups.push_back({"class", "other.txt"});
  expect_refused(config, "--class-groups for class 'class' is given twice");
  config.class_groups = {{"horse", "groups.txt"}};
  expect_refused(config, "--class-groups names unknown class 'horse'");
}

TEST(CheckConfig, NumbersHaveBounds) {
  Config config;
  config.resize = 0;
  expect_refused(config, "resize is 0");
  config = {};
  config.std = {0.2, 0, 0.2};
  expect_refused(config, "std is 0");
  config = {};
  config.scale = 0;
  expect_refused(config, "scale is 0");
  config = {};
  config.shape = {1 << 20, 1 << 20};
  expect_refused(config, "shape has 1.1e+12 values");
}

TEST(CheckConfig, SomeOptionsExcludeEachOther) {
  Config config;
  config.random = "images";
  EXPECT_NO_THROW(check_config(config, false));
  expect_refused(config, "--random cannot be combined with --cavs", true);
  config = {};
  config.intervene = 3;
  config.no_intervene = true;
  expect_refused(config, "exclude each other");
  config.no_intervene = false;
  config.no_erase = config.erase_together = true;
  expect_refused(config, "--no-erase excludes --eraser and --erase-together");
  config.no_erase = false;
  expect_refused(config, "what concepts are erased by comes from examples", true);
  config.erase_together = false;
  EXPECT_NO_THROW(check_config(config, true));
}

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

TEST(RelativePositions, OfConceptsThatAreThere) {
  Config config;
  config.concepts = {{"a", "x"}, {"b", "y"}};
  config.relative = {{"b", "a"}};
  EXPECT_EQ(relative_positions(config), (std::vector<std::pair<Index, Index>>{{1, 0}}));
  config.relative = {{"a", "c"}};
  EXPECT_THAT([&] { relative_positions(config); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("there is no concept 'c'")));
}

}  // namespace
}  // namespace atcav
