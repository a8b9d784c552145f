#include "apps/demo/demo.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace atcav::demo {
namespace {

namespace fs = std::filesystem;

TEST(WriteDemo, WritesFilesThatRepeatIt) {
  const std::string folder = testing::TempDir() + "demo_test";
  fs::remove_all(folder);
  const Config config = write_demo(folder, 3);
  EXPECT_TRUE(fs::exists(config.model));
  EXPECT_LT(fs::file_size(config.model), 600000U);
  for (const ExampleSet& set : config.concepts) EXPECT_TRUE(fs::exists(set.path + "/0000.png")) << set.name;
  std::ostringstream yaml;
  yaml << std::ifstream(folder + "/demo.yaml").rdbuf();
  EXPECT_EQ(yaml.str(), write_config(config));
  EXPECT_EQ(read_config(yaml.str()).options.seed, 3U);
  // Another seed draws other pictures into the same place.
  const auto size = fs::file_size(config.random + "/0000.png");
  write_demo(folder, 4);
  EXPECT_NE(fs::file_size(config.random + "/0000.png"), size);
  fs::remove_all(folder);
}

TEST(WriteDemo, SaysWhereItCannotWrite) { EXPECT_THROW(write_demo("/proc/demo", 0), std::runtime_error); }

}  // namespace
}  // namespace atcav::demo
