#include "data/file/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

using testing::ThrowsMessage;
using testing_support::TempFolder;

TEST(OpenFile, BytesOutliveTheFileName) {
  const TempFolder folder;
  const ReaderPtr reader = open_file(folder.write("a", "hello"));
  std::filesystem::remove(folder.file("a"));
  EXPECT_EQ(reader->read_all(), "hello");
  EXPECT_EQ(reader->name(), folder.file("a"));
}

TEST(OpenFile, FailuresNameTheFile) {
  const TempFolder folder;
  const std::string missing = folder.file("missing");
  EXPECT_THAT([&] { open_file(missing); },
              ThrowsMessage<std::runtime_error>("[open_file] " + missing +
                                                ": cannot open: No such file or directory"));
  EXPECT_THAT(
      [&] { open_file(folder.path()); },
      ThrowsMessage<std::runtime_error>("[open_file] " + folder.path() + ": is a folder, must be a file"));
  const std::string empty = folder.write("empty", "");
  EXPECT_THAT([&] { open_file(empty); },
              ThrowsMessage<std::runtime_error>("[open_file] " + empty + ": is empty"));
  EXPECT_THAT([] { open_file("/dev/null"); },
              ThrowsMessage<std::runtime_error>("[open_file] /dev/null: is not a regular file"));
}

TEST(OpenFile, UnreadableFile) {
  const TempFolder folder;
  const std::string path = folder.write("secret", "x");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  // Root reads everything, so be nobody for a moment.
  constexpr uid_t kNobody = 65534;
  const bool root = ::geteuid() == 0;
  if (root && ::seteuid(kNobody) != 0) GTEST_SKIP() << "cannot become nobody";
  EXPECT_THAT([&] { open_file(path); },
              ThrowsMessage<std::runtime_error>("[open_file] " + path + ": cannot open: Permission denied"));
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
}

TEST(ReadMemory, OwnsItsBytes) {
  const ReaderPtr reader = read_memory("abc", "given");
  EXPECT_EQ(reader->read_all(), "abc");
  EXPECT_EQ(reader->name(), "given");
}

TEST(Read, PartsOfFilesAndOfMemory) {
  const TempFolder folder;
  for (const ReaderPtr& reader : {open_file(folder.write("a", "hello")), read_memory("hello", "a")}) {
    EXPECT_EQ(reader->size(), 5U);
    EXPECT_EQ(reader->read(1, 3), "ell");
    EXPECT_EQ(reader->read(3, 100), "lo");
    EXPECT_EQ(reader->read(100, 100), "");
    std::array<std::byte, 3> three{};
    EXPECT_THROW(reader->read(3, three), std::runtime_error);
    EXPECT_THROW(reader->read(static_cast<std::size_t>(-1), three), std::runtime_error);
  }
}

// A mapped file would end the process with SIGBUS here.
TEST(Read, AShortenedFileIsAnError) {
  const TempFolder folder;
  const std::string path = folder.write("a", std::string(100'000, 'x'));
  const ReaderPtr reader = open_file(path);
  std::filesystem::resize_file(path, 10);
  EXPECT_EQ(reader->read(0, 10), "xxxxxxxxxx");
  EXPECT_THAT(
      [&] { reader->read_all(); },
      ThrowsMessage<std::runtime_error>("[open_file] " + path + ": was shortened while it was in use"));
}

TEST(OpenOwnFile, TakesNoLinksPipesOrFilesOfOthers) {
  const TempFolder folder;
  const std::string path = folder.write("a", "hello");
  EXPECT_EQ(open_own_file(path)->read_all(), "hello");
  std::filesystem::create_symlink(path, folder.file("link"));
  EXPECT_THROW(open_own_file(folder.file("link")), std::runtime_error);
  EXPECT_EQ(open_file(folder.file("link"))->read_all(), "hello");
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_THROW(open_own_file(folder.file("pipe")), std::runtime_error);
  if (::chown(path.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "cannot give files away";
  EXPECT_THAT([&] { open_own_file(path); },
              ThrowsMessage<std::runtime_error>("[open_file] " + path + ": belongs to another user"));
}

TEST(ReadLines, TakesBothKindsOfEnds) {
  const TempFolder folder;
  folder.write("lines.txt", "one\r\n\ntwo\nthree");
  EXPECT_EQ(read_lines(folder.file("lines.txt")), (std::vector<std::string>{"one", "", "two", "three"}));
}

}  // namespace
}  // namespace atcav::data
