#include "atcav/config.h"

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
  config.relative = {{"striped", "dotted"}};
  config.options.cav.method = stats::CavMethod::kSvm;
  config.options.cav.cost = 0.1;
  config.options.alpha = {Alpha::Kind::kStar, 2.5};
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

TEST(Config, GradientsOfOneClassNeedNoName) {
  const Config config = read_config("gradients: zebra.npy\n");
  EXPECT_EQ(config.gradients.at(0).name, "");
  EXPECT_EQ(write_config(read_config(write_config(config))), write_config(config));
  EXPECT_EQ(read_config(write_config(config)).gradients.at(0).path, "zebra.npy");
}

TEST(Config, NamesWithLineEndsComeBack) {
  Config config;
  config.model = "two\r";
  config.layers = {"a\nb", "c\td", "e"};
  EXPECT_EQ(read_config(write_config(config)).model, config.model);
  EXPECT_EQ(read_config(write_config(config)).layers, config.layers);
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

TEST(ReadConfig, AScalarIsAListOfOne) {
  const Config config = read_config("alpha: 3\nrelative: a:b\nshape: 7\nlayer: [x, y]\nmean: [0.5, 0.25]\n");
  EXPECT_EQ(config.options.alpha, std::vector<Alpha>{3});
  ASSERT_EQ(config.relative.size(), 1U);
  EXPECT_EQ(config.relative[0].second, "b");
  EXPECT_EQ(config.shape, std::vector<Index>{7});
  EXPECT_EQ(config.layers, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(config.mean, (std::vector<double>{0.5, 0.25}));
}

// Every key is used or is an error that names its line.
TEST(ReadConfig, NothingPassesUnread) {
  const auto refused = [](const std::string& yaml, const std::string& message) {
    EXPECT_THAT([&] { read_config(yaml); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message))) << yaml;
  };
  refused("model: m.onnx\nlayres: [a]\n", "[config] line 2: there is no option 'layres'; closest: 'layer'");
  refused("runs: many\n", "line 1: runs is 'many', must be a whole number");
  refused("runs: 010\n", "line 1: runs is '010'");
  refused("seed: 1\nruns: 5\nseed: 2\n", "line 3: the key 'seed' is in line 1 already");
  refused("seed: 1\n---\nruns: 5\n", "expected one YAML document");
  refused("seed: 1\n,\n", "");
  refused(",,,", "key: value");
  refused("cache:\n", "line 1: cache has no value");
  refused("cache: {a: b}\n", "line 1: cache must be a value or a list of values");
  refused("alpha: [[1]]\n", "line 1: alpha must be");
  refused("seed: -1\n", "line 1: seed is '-1', must be a whole number, 0 or more");
  refused("centred: maybe\n", "must be true or false");
  refused("scale: inf\n", "line 1: scale is 'inf', must be a number");
  refused("mean: [nan, 1]\n", "line 1: mean is 'nan'");
  refused("sigma: best\n", "sigma is 'best', must be effective or analytic");
  refused("class: zebra=a\n", "NAME:INDEX=PATH");
  refused("class: zebra:-1=a\n", "class index is '-1'");
  refused("model: [a\n", "line 2");
  refused("just text", "key: value");
  refused("", "key: value");
}

TEST(Target, TextComesBack) {
  for (const char* text : {"0", "340", "340-339", "-0", "@labels.npy"})
    EXPECT_EQ(target_text(read_target(text)), text);
  EXPECT_EQ(read_target("340-339").minus, 339);
  for (const char* text :
       {"", "-", "-1", "--0", "3-", "3-2-1", "03", "3x", "@", "1.5", "99999999999999999999"})
    EXPECT_THROW(read_target(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace atcav
