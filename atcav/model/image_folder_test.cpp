#include "atcav/model/image_folder.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/png_image.h"
#include "tests/support/temp_folder.h"

namespace atcav::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::grey_png;
using testing_support::TempFolder;

const ImageFormat kFormat{1, 2, 2, false};

// Images whose grey value is their number, read in blocks.
TEST(ImageFolder, GivesFilesInNameOrder) {
  const TempFolder folder;
  for (const int i : {3, 1, 2, 5, 4})
    folder.write("image" + std::to_string(i) + ".png", grey_png(2, 2, i * 10));
  folder.write(".hidden", "not an image");
  ImageFolder images(folder.path(), kFormat, {});
  ASSERT_EQ(images.rows(), 5);
  EXPECT_EQ(images.read(0, 2).reals[4], 20);
  EXPECT_EQ(images.read(2, 2).reals[0], 30);
  const InputBatch last = images.read(4, 2);
  EXPECT_EQ(last.rows(), 1);
  EXPECT_EQ(last.reals[0], 50);
  EXPECT_EQ(images.read(0, 5).reals[16], 50);
}

TEST(ImageFolder, NamesAndCountsWhatCannotBeRead) {
  const TempFolder folder;
  folder.write("a.png", grey_png(2, 2, 1));
  folder.write("b.png", grey_png(2, 2, 1).substr(0, 40));
  folder.write("notes.txt", "hello");
  ImageFolder images(folder.path(), kFormat, {});
  EXPECT_THAT([&] { images.read(0, 3); },
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
  ASSERT_EQ(images.bad().size(), 1U);
  EXPECT_THAT(images.bad()[0].why, HasSubstr("neither a JPEG nor a PNG"));
  EXPECT_EQ(images.read(0, 9).reals[0], 9);
}

TEST(ImageFolder, NeedsAtLeastOneImage) {
  const TempFolder folder;
  EXPECT_THROW(ImageFolder(folder.path(), kFormat, {}), std::runtime_error);
  folder.write("a.png", "nothing");
  InputOptions options;
  options.skip_bad = true;
  EXPECT_THROW(ImageFolder(folder.path(), kFormat, options), std::runtime_error);
}

}  // namespace
}  // namespace atcav::model
