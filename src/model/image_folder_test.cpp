#include "model/image_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>

#include "tests/support/png_image.h"
#include "tests/support/tar_bytes.h"
#include "tests/support/temp_folder.h"

namespace atcav::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::grey_png;
using testing_support::tar_header;
using testing_support::tar_member;
using testing_support::TempFolder;

const data::ImageFormat kFormat{1, 2, 2, false};

TEST(ImageFormat, ReadsTheShapeOfTheInput) {
  const data::ImageFormat torch = image_format({"x", {-1, 3, 32, 48}, false});
  EXPECT_EQ(torch.height, 32);
  EXPECT_EQ(torch.width, 48);
  const data::ImageFormat tensorflow = image_format({"x", {-1, 299, 199, 3}, false});
  EXPECT_TRUE(tensorflow.channels_last);
  EXPECT_EQ(tensorflow.height, 299);
  EXPECT_EQ(tensorflow.width, 199);
  EXPECT_EQ(image_format({"x", {-1, 3, -1, -1}, false}).height, 224);
  EXPECT_EQ(image_format({"x", {-1, 3, -1, -1}, false}, {3, 64, 65}).width, 65);
  EXPECT_THROW(image_format({"ids", {-1, 16}, true}), std::invalid_argument);
  EXPECT_THROW(image_format({"x", {-1, 7, 5, 9}, false}), std::invalid_argument);
}

// Images whose grey value is their number, read in blocks.
TEST(ImageFolder, GivesFilesInNameOrder) {
  const TempFolder folder;
  for (const int i : {3, 1, 2, 5, 4})
    folder.write("image" + std::to_string(i) + ".png", grey_png(2, 2, i * 10));
  folder.write(".hidden", "not an image");
  ImageFolder images(folder.path(), kFormat, {});
  ASSERT_EQ(images.rows(), 5);
  EXPECT_EQ(images.read_rows({0, 1}).front().reals[4], 20);
  EXPECT_EQ(images.read_rows({3, 2}).front().reals[4], 30);
  const InputBatch last = images.read_rows({4}).front();
  EXPECT_EQ(last.rows(), 1);
  EXPECT_EQ(last.reals[0], 50);
  EXPECT_EQ(images.read_rows({0, 1, 2, 3, 4}).front().reals[16], 50);
}

TEST(ImageFolder, AFolderOfFoldersIsTheirPicturesWhereThatIsAskedFor) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.file("indoors"));
  std::filesystem::create_directories(folder.file("outdoors"));
  folder.write("outdoors/a.png", grey_png(2, 2, 30));
  folder.write("indoors/b.png", grey_png(2, 2, 20));
  InputOptions options;
  EXPECT_THROW(ImageFolder(folder.path(), kFormat, options), std::runtime_error);
  options.subfolders = true;
  ImageFolder images(folder.path(), kFormat, options);
  ASSERT_EQ(images.rows(), 2);
  EXPECT_EQ(images.read_rows({0}).front().reals[0], 20);
  EXPECT_EQ(images.left_out().folders, 0);
  folder.write("c.png", grey_png(2, 2, 10));  // beside files folders are left out
  EXPECT_EQ(ImageFolder(folder.path(), kFormat, options).rows(), 1);
}

TEST(ImageFolder, PixelsAreWhatNumbersAreMadeOf) {
  const TempFolder folder;
  for (const int i : {1, 2, 3}) folder.write("image" + std::to_string(i) + ".png", grey_png(2, 2, i * 10));
  InputOptions options;
  options.preprocess = {.scale = 0.5, .mean = {3}, .std = {0.25}};
  const InputBatch numbers = ImageFolder(folder.path(), kFormat, options).read_rows({0, 1, 2}).front();
  options.pixels = true;
  for (int round = 0; round < 2; ++round) {  // the second may be given a buffer of the first
    const InputBatch batch = ImageFolder(folder.path(), kFormat, options).read_rows({0, 1, 2}).front();
    EXPECT_TRUE(batch.reals.empty());
    EXPECT_EQ(batch.shape, numbers.shape);
    ASSERT_EQ(batch.pixels->size, 12);
    const data::Normalisation& how = batch.pixels->how;
    for (Index i = 0; i < 12; ++i) {
      const auto pixel = static_cast<float>(batch.pixels->values[i]);
      EXPECT_EQ((pixel * how.scale - how.mean[0]) / how.std[0], numbers.reals[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(ImageFolder, NamesAndCountsWhatCannotBeRead) {
  const TempFolder folder;
  folder.write("a.png", grey_png(2, 2, 1));
  folder.write("b.png", grey_png(2, 2, 1).substr(0, 40));
  folder.write("notes.txt", "hello");
  ImageFolder images(folder.path(), kFormat, {});
  EXPECT_THAT(
      [&] {
        images.read_rows({0, 1, 2});
      },
      ThrowsMessage<std::runtime_error>(
          AllOf(HasSubstr("2 of 3"), HasSubstr("b.png"), HasSubstr("notes.txt"))));
}

TEST(ImageFolder, LeavesThemOutWhenTold) {
  const TempFolder folder;
  folder.write("a.jpg", "nothing");
  folder.write("b.png", grey_png(2, 2, 9));
  InputOptions options;
  options.skip_bad = true;
  ImageFolder images(folder.path(), kFormat, options);
  EXPECT_EQ(images.rows(), 1);
  ASSERT_EQ(images.left_out().bad.size(), 1U);
  EXPECT_THAT(images.left_out().bad[0].why, HasSubstr("neither a JPEG nor a PNG"));
  EXPECT_EQ(images.read_rows({0}).front().reals[0], 9);
}

// Pipes would block for ever, devices might do anything, links may lead nowhere or in circles.
TEST(ImageFolder, NothingIsSkippedWithoutAWord) {
  const TempFolder folder;
  folder.write("a.png", grey_png(2, 2, 9));
  std::filesystem::create_symlink("nowhere", folder.file("broken.png"));
  std::filesystem::create_symlink("circle.png", folder.file("circle.png"));
  std::filesystem::create_symlink("/dev/zero", folder.file("device.png"));
  std::filesystem::create_symlink("a.png", folder.file("good.png"));
  std::filesystem::create_directory(folder.file("folder.png"));
  ASSERT_EQ(::mkfifo(folder.file("pipe.png").c_str(), 0600), 0);
  ImageFolder images(folder.path(), kFormat, {});
  EXPECT_THAT(
      [&] {
        images.read_rows({0, 1, 2});
      },
      ThrowsMessage<std::runtime_error>(AllOf(
          HasSubstr("4 of 6"), HasSubstr("broken.png: cannot open"), HasSubstr("circle.png: cannot open"),
          HasSubstr("device.png: is not a regular file"), HasSubstr("pipe.png: is not a regular file"))));
  InputOptions options;
  options.skip_bad = true;
  const ImageFolder rest(folder.path(), kFormat, options);
  EXPECT_EQ(rest.rows(), 2);
  EXPECT_EQ(rest.left_out().folders, 1);
  EXPECT_EQ(rest.left_out().bad.size(), 4U);
}

// 70 bytes that become 768,000 × 256 pixels when their shorter side is resized to 256: only the middle is
// made. Longer ones are named, and skipped when told.
TEST(ImageFolder, LongThinImagesTakeLittleMemory) {
  const TempFolder folder;
  folder.write("long.png", grey_png(3000, 1, 9));
  ImageFolder images(folder.path(), {3, 224, 224, false}, {});
  const InputBatch batch = images.read_rows({0}).front();
  EXPECT_THAT(batch.reals, testing::Each(9));

  InputOptions options;
  options.preprocess.resize = 1'000'000;
  options.preprocess.crop = 224;
  EXPECT_THAT(
      [&] {
        ImageFolder(folder.path(), {3, 224, 224, false}, options).read_rows({0});
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("long.png: is 3000 x 1, too long")));
  folder.write("square.png", grey_png(2, 2, 7));
  options.skip_bad = true;
  EXPECT_EQ(ImageFolder(folder.path(), {3, 224, 224, false}, options).left_out().bad.size(), 1U);
}

TEST(ImageFolder, NeedsAtLeastOneImage) {
  const TempFolder folder;
  EXPECT_THROW(ImageFolder(folder.path(), kFormat, {}), std::runtime_error);
  folder.write("a.png", "nothing");
  InputOptions options;
  options.skip_bad = true;
  EXPECT_THROW(ImageFolder(folder.path(), kFormat, options), std::runtime_error);
}

// A folder of the same files says what an archive must give.
TEST(ImageFolder, ReadsArchivesWhereTheyLie) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.file("plain"));
  std::vector<std::string> members;
  for (const int i : {0, 1, 2, 3}) {
    const std::string name = "image" + std::to_string(i) + ".PNG";
    folder.write("plain/" + name, grey_png(2, 2, i * 10));
    members.push_back(tar_member(name, grey_png(2, 2, i * 10)));
  }
  const std::string b = folder.write("b.tar", members[3] + tar_member("x.cls", "3") + members[2]);
  const std::string a = folder.write(
      "a.tar", tar_header("link.png", 0, '2') + members[0] + tar_member("._image0.png", "") + members[1]);
  const ImageFolder images({a, b}, "*.tar", kFormat, {});
  const ImageFolder plain(folder.file("plain"), kFormat, {});
  ASSERT_EQ(images.rows(), 4);
  EXPECT_EQ(images.file(2), b + "/image3.PNG");
  EXPECT_EQ(images.left_out().members, 3);
  const InputBatch found = images.read_rows({0, 1, 2, 3}).front();
  const InputBatch wanted = plain.read_rows({0, 1, 3, 2}).front();  // each archive in its own order
  EXPECT_EQ(found.reals, wanted.reals);
  EXPECT_EQ(found.hashes, wanted.hashes);
  EXPECT_EQ(images.hashes({3, 0}, 1), plain.hashes({2, 0}, 1));
  EXPECT_THAT([&] { ImageFolder({folder.write("c.tar", tar_member("x.cls", "3"))}, "c.tar", kFormat, {}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("c.tar: has no .jpg, .jpeg or .png in it")));
}

TEST(ImageFolder, NamesMembersThatCannotBeRead) {
  const TempFolder folder;
  const std::string path =
      folder.write("a.tar", tar_member("bad.png", "text") + tar_member("good.png", grey_png(2, 2, 7)));
  const ImageFolder images({path}, path, kFormat, {});
  EXPECT_THAT(
      [&] {
        images.read_rows({0, 1});
      },
      ThrowsMessage<std::runtime_error>(
          AllOf(HasSubstr("1 of 2 files cannot be read"), HasSubstr("bad.png"))));
  InputOptions options;
  options.skip_bad = true;
  const ImageFolder good({path}, path, kFormat, options);
  ASSERT_EQ(good.rows(), 1);
  EXPECT_EQ(good.read_rows({0}).front().reals[0], 7);
}

}  // namespace
}  // namespace atcav::model
