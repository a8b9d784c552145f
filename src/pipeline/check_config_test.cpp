#include "pipeline/check_config.h"

#include <gmock/gmock.h>

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
  config.options.cav.method = stats::CavMethod::kRidge;
  expect_refused(config, "intervene needs cav pattern or fast, not ridge");
  EXPECT_NO_THROW(check_config(config, true));
}

}  // namespace
}  // namespace atcav
