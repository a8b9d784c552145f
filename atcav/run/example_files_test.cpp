#include "atcav/run/example_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "atcav/io/encode_image.h"
#include "atcav/io/npy.h"

namespace atcav {
namespace {

namespace fs = std::filesystem;

void write_picture(const std::string& path, std::uint8_t grey) {
  fs::create_directories(fs::path(path).parent_path());
  const io::Image image{2, 2, std::vector<std::uint8_t>(12, grey)};
  std::ofstream(path, std::ios::binary) << io::encode_png(image);
}

ExampleFiles open(const std::string& role, const std::string& path) {
  nn::InputOptions options;
  options.preprocess = nn::preprocess_preset("none");
  return {role, path, nn::Inputs::open(path, {{"image", {-1, 3, 2, 2}, false}}, options)};
}

TEST(ExampleFiles, ContentIsWhatCounts) {
  const std::string folder = testing::TempDir() + "example_files_test";
  fs::remove_all(folder);
  for (const int grey : {10, 20, 30}) write_picture(folder + "/a/" + std::to_string(grey) + ".png", grey);
  write_picture(folder + "/b/other_name.png", 20);
  write_picture(folder + "/b/new.png", 40);
  write_picture(folder + "/b/copy.png", 40);
  const ExampleFiles a = open("random", folder + "/a");
  const ExampleFiles b = open("concept 'x'", folder + "/b");
  EXPECT_EQ(a.rows(), 3);
  EXPECT_THAT(
      shared_files({&a, 1}, b),
      testing::ElementsAre("1 of the 3 examples of concept 'x' are also in random (e.g. other_name.png)"));
  EXPECT_THAT(shared_files({&a, 1}, a), testing::SizeIs(1));
  EXPECT_TRUE(shared_files({}, a).empty());
  EXPECT_THAT(copies_within(b),
              testing::ElementsAre(testing::HasSubstr("1 of the 3 examples of concept 'x'")));
  EXPECT_TRUE(copies_within(a).empty());
  EXPECT_EQ(a.describe().shape, std::vector<Index>{3});
  EXPECT_NE(a.describe().sha256, b.describe().sha256);
  fs::remove_all(folder);
}

TEST(ExampleFiles, SeveralSetsGiveOneSentence) {
  const std::string folder = testing::TempDir() + "example_files_several";
  fs::remove_all(folder);
  for (const int grey : {10, 20, 30}) {
    write_picture(folder + "/all/" + std::to_string(grey) + ".png", grey);
    write_picture(folder + "/" + std::to_string(grey) + "/a.png", grey);
  }
  std::vector<ExampleFiles> others;
  others.push_back(open("concept 'x'", folder + "/10"));
  others.push_back(open("concept 'y'", folder + "/30"));
  EXPECT_THAT(shared_files(others, open("concept 'z'", folder + "/all")),
              testing::ElementsAre(
                  "2 of the 3 examples of concept 'z' are also in concept 'x', concept 'y' (e.g. 10.png)"));
  fs::remove_all(folder);
}

TEST(ExampleFiles, RowsOfAnArrayDiffer) {
  const std::string path = testing::TempDir() + "example_files_test.npy";
  const MatrixF values = MatrixF::Ones(4, 12);
  io::write_npy(path, io::TensorView(std::span(values.data(), 48), {4, 3, 2, 2}));
  const ExampleFiles set = open("random", path);
  EXPECT_EQ(set.rows(), 4);
  EXPECT_NE(set.hashes()[0], set.hashes()[1]);
}

}  // namespace
}  // namespace atcav
