#include "atcav/io/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace atcav::io {
namespace {

using testing::ThrowsMessage;
using testing_support::TempFolder;

TEST(OpenFile, BytesOutliveTheFileName) {
  const TempFolder folder;
  const ReaderPtr reader = open_file(folder.write("a", "hello"));
  std::filesystem::remove(folder.file("a"));
  EXPECT_EQ(reader->text(), "hello");
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
  reader->release(0, 3);
  EXPECT_EQ(reader->text(), "abc");
  EXPECT_EQ(reader->name(), "given");
}

// Pages of mapped files in resident memory, from the third field of statm.
std::size_t resident_file_bytes() {
  std::size_t total = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> total >> resident >> shared;
  return shared * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t sum_of_page_starts(const Reader& reader, std::size_t first, std::size_t count) {
  std::size_t sum = 0;
  for (std::size_t i = first; i < first + count; i += 4096)
    sum += static_cast<std::size_t>(reader.bytes()[i]);
  return sum;
}

TEST(Release, StreamingStaysSmallAndBytesComeBack) {
  constexpr std::size_t kSize = 64 << 20, kBlock = 1'000'000;
  const TempFolder folder;
  const ReaderPtr reader = open_file(folder.write("big", std::string(kSize, '\1')));
  const std::size_t before = resident_file_bytes();
  std::size_t most = 0;
  for (std::size_t first = 0; first + kBlock <= kSize; first += kBlock) {
    EXPECT_EQ(sum_of_page_starts(*reader, first, kBlock), (kBlock + 4095) / 4096);
    most = std::max(most, resident_file_bytes());
    reader->release(first, kBlock);
  }
  // One block and the 2 MiB windows around it; without release it would be all 64 MiB.
  EXPECT_LT(most, before + (8 << 20));
  EXPECT_LT(resident_file_bytes(), before + kBlock);
  EXPECT_EQ(sum_of_page_starts(*reader, 0, kBlock), (kBlock + 4095) / 4096);
}

TEST(Release, RangesOutsideTheFileAreCut) {
  const TempFolder folder;
  const ReaderPtr reader = open_file(folder.write("a", "hello"));
  reader->release(0, static_cast<std::size_t>(-1));
  reader->release(100, 100);
  reader->release(static_cast<std::size_t>(-1), static_cast<std::size_t>(-1));
  EXPECT_EQ(reader->text(), "hello");
}

TEST(ReadLines, TakesBothKindsOfEnds) {
  const TempFolder folder;
  folder.write("lines.txt", "one\r\n\ntwo\nthree");
  EXPECT_EQ(read_lines(folder.file("lines.txt")), (std::vector<std::string>{"one", "", "two", "three"}));
}

}  // namespace
}  // namespace atcav::io
