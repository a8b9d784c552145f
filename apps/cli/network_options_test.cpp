#include "network_options.h"

#include <gtest/gtest.h>

namespace atcav::cli {
namespace {

TEST(NetworkOptions, FlagsReachTheConfiguration) {
  CLI::App app;
  Config config;
  NamedSets sets;
  add_network_options(app, config, sets);
  app.parse("--model m.onnx --layer a --layer b --class zebra:340=z --concept striped=s --mean 1,2,3 --bgr");
  apply_named_sets(sets, config);
  EXPECT_EQ(config.model, "m.onnx");
  EXPECT_EQ(config.layers, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(config.classes.size(), 1U);
  EXPECT_EQ(config.classes[0].target, 340);
  ASSERT_EQ(config.concepts.size(), 1U);
  EXPECT_EQ(config.concepts[0].path, "s");
  EXPECT_EQ(config.mean, (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(config.bgr);
}

TEST(NetworkOptions, SetsOfTheFileStayWithoutFlags) {
  Config config;
  config.concepts = {{"dotted", "d"}};
  apply_named_sets({}, config);
  EXPECT_EQ(config.concepts.size(), 1U);
}

}  // namespace
}  // namespace atcav::cli
