#include "plugins/torch/onnx/external_data.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace atcav::onnx {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

auto refuses(const std::string& why) { return ThrowsMessage<std::runtime_error>(HasSubstr(why)); }

TEST(ExternalData, ReadsPartsOfFilesInTheFolder) {
  const testing_support::TempFolder folder;
  std::filesystem::create_directory(folder.file("sub"));
  folder.write("sub/w.bin", "0123456789");
  const ExternalData data = external_data_in(folder.path());
  EXPECT_EQ(data({"sub/w.bin", 2, 3}).view(), "234");
  EXPECT_EQ(data({"sub/w.bin", 8, -1}).view(), "89");
  EXPECT_EQ(data({"sub/w.bin", 10, 0}).view(), "");
}

TEST(ExternalData, NeverLeavesTheFolder) {
  const testing_support::TempFolder outside;
  outside.write("secret", "x");
  const testing_support::TempFolder folder;
  std::filesystem::create_symlink(outside.file("secret"), folder.file("link"));
  const ExternalData data = external_data_in(folder.path());
  EXPECT_THAT([&] { data({outside.file("secret"), 0, 1}); }, refuses("absolute"));
  EXPECT_THAT([&] { data({"../secret", 0, 1}); }, refuses("leaves"));
  EXPECT_THAT([&] { data({"a/../../secret", 0, 1}); }, refuses("leaves"));
  EXPECT_THAT([&] { data({"link", 0, 1}); }, refuses("leads out"));
  EXPECT_THAT([&] { data({"", 0, 1}); }, refuses("empty"));
  EXPECT_THAT([&] { data({"missing.bin", 0, 1}); }, refuses("cannot be opened"));
}

TEST(ExternalData, NeverReadsBeyondTheFile) {
  const testing_support::TempFolder folder;
  folder.write("w.bin", "0123456789");
  const ExternalData data = external_data_in(folder.path());
  EXPECT_THAT([&] { data({"w.bin", 8, 3}); }, refuses("the file has 10"));
  EXPECT_THAT([&] { data({"w.bin", 11, -1}); }, refuses("the file has 10"));
  EXPECT_THAT(
      [&] {
        data({"w.bin", 2, std::numeric_limits<std::int64_t>::max()});
      },
      refuses("the file has 10"));
}

TEST(ExternalData, ModelsFromMemoryHaveNone) {
  EXPECT_THROW(no_external_data()({"w.bin", 0, 1}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::onnx
