#include "apps/demo/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace atcav::demo {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class Write : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // A file of the user's, which must stop the demo with its name and survive it; nothing else may appear.
  void expect_kept(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
    const auto count = [this] { return std::distance(fs::recursive_directory_iterator(folder_), {}); };
    const auto before = count();
    try {
      write(folder_, 3);
      ADD_FAILURE() << path << " was ignored";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
    EXPECT_EQ(content(path), text);
    EXPECT_EQ(count(), before);
  }

  const std::string folder_ = testing::TempDir() + "demo_test";
};

TEST_F(Write, WritesFilesThatRepeatIt) {
  const Config config = write(folder_, 3);
  EXPECT_LT(fs::file_size(config.model), 600000U);
  for (const ExampleSet& set : config.concepts) EXPECT_TRUE(fs::exists(set.path + "/0000.png")) << set.name;
  const std::string yaml = content(folder_ + "/demo.yaml");
  EXPECT_THAT(yaml, EndsWith(write_config(config)));
  EXPECT_EQ(write_config(read_config(yaml)), write_config(config));
  // Another seed draws other pictures into the same place, and as many.
  const std::string picture = content(config.random + "/0000.png");
  write(folder_, 4);
  EXPECT_NE(content(config.random + "/0000.png"), picture);
  EXPECT_EQ(std::distance(fs::directory_iterator(config.random), {}), 240);
}

TEST_F(Write, KeepsWhatItDidNotWrite) { expect_kept(folder_ + "/images/zebra/holiday.jpg", "mine"); }

TEST_F(Write, KeepsAPictureOfItsOwnNameThatIsAnother) {
  expect_kept(folder_ + "/images/left/0003.png", "\x89PNG\r\n\x1a\n, the user's");
}

TEST_F(Write, APictureBeyondTheSetStopsIt) {
  expect_kept(folder_ + "/images/zebra/0060.png", "older, larger demo");
}

TEST_F(Write, KeepsAnotherNetworkAndConfiguration) {
  expect_kept(folder_ + "/demo.onnx", "my network");
  fs::remove(folder_ + "/demo.onnx");
  expect_kept(folder_ + "/demo.yaml", "model: mine.onnx\n");
}

TEST_F(Write, FilesBesideItsFoldersStay) {
  fs::create_directories(folder_ + "/images/giraffe");
  std::ofstream(folder_ + "/images/giraffe/1.jpg") << "mine";
  write(folder_, 3);
  EXPECT_EQ(content(folder_ + "/images/giraffe/1.jpg"), "mine");
}

TEST_F(Write, SaysWhereItCannotWrite) { EXPECT_THROW(write("/proc/demo", 0), std::runtime_error); }

}  // namespace
}  // namespace atcav::demo
