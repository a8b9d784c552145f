#include "atcav/run/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Config, RoundTrip) {
  Config config;
  config.model = "m.onnx";
  config.layers = {"layer3", "/a: b"};
  config.classes = {{"zebra", 340, "images/ze=bra"}, {"tabby: cat", 281, "cat"}};
  config.concepts = {{"striped", "dtd/striped"}};
  config.random = "random";
  config.relative = {"striped:dotted"};
  config.options.cav.method = stats::CavMethod::kSvm;
  config.options.cav.cost = 0.1;
  config.options.alpha = {"star", "2.5"};
  config.options.sigma = Sigma::kAnalytic;
  config.options.seed = 18446744073709551615ULL;
  config.options.level = 0.9;
  config.resize = 256;
  config.mean = {0.5, 0.25, 0.125};
  config.bgr = true;
  config.shape = {3, 32, 32};
  config.cache = "cache";
  const std::string yaml = write_config(config);
  EXPECT_EQ(write_config(read_config(yaml)), yaml);
  const Config again = read_config(yaml);
  EXPECT_EQ(again.classes[1].name, "tabby: cat");
  EXPECT_EQ(again.classes[0].path, "images/ze=bra");
  EXPECT_EQ(again.options.cav.cost, 0.1);
  EXPECT_EQ(again.options.seed, 18446744073709551615ULL);
  EXPECT_EQ(again.resize, 256);
  EXPECT_FALSE(again.crop.has_value());
}

TEST(Config, GivenDirectionsStandForExamples) {
  Config config;
  config.model = "m.onnx";
  config.cavs = "cavs.safetensors";
  const std::string yaml = write_config(config);
  EXPECT_THAT(yaml, HasSubstr("cavs: cavs.safetensors"));
  EXPECT_THAT(yaml, testing::Not(HasSubstr("random: ")));
  EXPECT_EQ(read_config(yaml).cavs, config.cavs);
}

TEST(ReadConfig, NamesTheLineAndTheKey) {
  EXPECT_THAT([] { read_config("model: m.onnx\nlayres: [a]\n"); },
              ThrowsMessage<std::invalid_argument>("[config] line 2: there is no key 'layres'"));
  EXPECT_THAT(
      [] { read_config("runs: many\n"); },
      ThrowsMessage<std::invalid_argument>("[config] line 1: the value of 'runs' has the wrong type"));
  EXPECT_THAT([] { read_config("model: [a\n"); }, ThrowsMessage<std::invalid_argument>(HasSubstr("line 2")));
  EXPECT_THROW(read_config("just text"), std::invalid_argument);
  EXPECT_THROW(read_config(""), std::invalid_argument);
}

TEST(ParseClass, NeedsNameIndexAndPath) {
  EXPECT_EQ(parse_class("zebra:340=a/b").target, 340);
  EXPECT_EQ(parse_class("a:b:3=p").name, "a:b");
  for (const char* bad : {"zebra=a", "zebra:=a", "zebra:x=a", ":3=a", "zebra:3=", "zebra:-1=a", ""}) {
    EXPECT_THROW(parse_class(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace atcav
