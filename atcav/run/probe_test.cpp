#include "atcav/run/probe.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "apps/demo/demo.h"

namespace atcav {
namespace {

TEST(Probe, BlocksOfOneLayerAreTheSameAmongOthers) {
  const std::string folder = testing::TempDir() + "probe_test";
  Config config = write_demo(folder, 1);
  config.layers = {"block4"};
  Probe alone(config);
  config.layers = {"block3", "block4"};
  Probe both(config);
  EXPECT_EQ(both.layer_names(), config.layers);
  ExampleFiles set = alone.open("random", config.random);
  ExampleFiles again = both.open("random", config.random);
  const MatrixF one = alone.activations(set, 0, 8)[0];
  EXPECT_EQ(one.rows(), 8);
  EXPECT_EQ(one.cols(), alone.columns(0));
  EXPECT_EQ(both.activations(again, 0, 8)[1], one);
  EXPECT_EQ(alone.gradients(set, 0, 8, 0)[0].cols(), one.cols());
  EXPECT_EQ(alone.examples_run(), 16);
  config.precision = "fp8";
  EXPECT_THROW(Probe{config}, std::invalid_argument);
  config.precision = "fp32";
  config.batch = 0;
  EXPECT_THROW(Probe{config}, std::invalid_argument);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace atcav
