#include "data/file/tar.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "atcav/random.h"
#include "tests/support/tar_bytes.h"
#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::padded;
using testing_support::tar_checksum;
using testing_support::tar_header;
using testing_support::tar_member;
using testing_support::TempFolder;

const std::string kEnd(1024, '\0');

TarListing list(const std::string& bytes) { return list_tar(read_memory(bytes, "a.tar")); }

void expect_refused(const std::string& bytes, const std::string& message) {
  EXPECT_THAT([&] { list(bytes); },
              ThrowsMessage<std::runtime_error>(HasSubstr("[list_tar] a.tar: " + message)));
}

TEST(Tar, MembersLieWhereTheyAre) {
  const std::string bytes = tar_member("b.jpg", "second name, first place") + tar_member("folder/", "", '5') +
                            tar_member("folder/a.jpg", std::string(512, 'x')) + tar_member("empty", "") +
                            kEnd;
  const TarListing found = list(bytes);
  ASSERT_EQ(found.files.size(), 3);
  EXPECT_EQ(found.files[0].name, "b.jpg");
  EXPECT_EQ(bytes.substr(found.files[0].offset, found.files[0].size), "second name, first place");
  EXPECT_EQ(found.files[1].name, "folder/a.jpg");
  EXPECT_EQ(bytes.substr(found.files[1].offset, found.files[1].size), std::string(512, 'x'));
  EXPECT_EQ(found.files[2].size, 0);
  EXPECT_EQ(found.links, 0);
  // The end may be missing, and anything may lie behind it.
  EXPECT_EQ(list(tar_member("a", "b")).files.size(), 1);
  EXPECT_EQ(list(tar_member("a", "b") + kEnd + "rest").files.size(), 1);
}

TEST(Tar, LongNamesAndSizes) {
  const std::string name(300, 'n');
  EXPECT_EQ(
      list(tar_member("././@LongLink", name + '\0', 'L') + tar_member("cut", "x") + kEnd).files.at(0).name,
      name);
  const std::string record = fmt::format("{} path={}\n", name.size() + 10, name);
  const TarListing pax = list(tar_member("PaxHeaders/x", record + "10 size=3\n", 'x') + tar_header("cut", 0) +
                              padded("abc") + tar_member("next", "y") + kEnd);
  ASSERT_EQ(pax.files.size(), 2);
  EXPECT_EQ(pax.files[0].name, name);
  EXPECT_EQ(pax.files[0].size, 3);
  EXPECT_EQ(pax.files[1].name, "next");  // records are of one member
  std::string binary(12, '\0');
  binary[0] = '\x80';
  binary[11] = 2;
  EXPECT_EQ(list(tar_header("a", 0, '0', binary) + padded("xy")).files.at(0).size, 2);
}

TEST(Tar, LinksAndSpecialFilesAreNoFiles) {
  // A link that states a size has no bytes of its own.
  const TarListing found =
      list(tar_header("link", 5000, '2') + tar_header("hard", 7, '1') + tar_header("pipe", 0, '6') +
           tar_member("../../etc/passwd", "only a name") + kEnd);
  EXPECT_EQ(found.links, 3);
  ASSERT_EQ(found.files.size(), 1);
  EXPECT_EQ(found.files[0].name, "../../etc/passwd");
}

TEST(Tar, WhatIsDamagedIsRefused) {
  expect_refused(tar_header("a.jpg", 5000) + padded("few"), "is cut short: 'a.jpg' has 512 bytes of 5000");
  expect_refused(tar_member("a", "b") + "rest", "is cut short at byte 1024");
  expect_refused(tar_header("a", 0, '0', std::string(11, '7') + '\0'),
                 "is cut short: 'a' has 0 bytes of 8589934591");
  std::string huge(12, '\xff');
  expect_refused(tar_header("a", 0, '0', huge), "has a damaged size at byte 0");
  huge[0] = '\x80';
  expect_refused(tar_header("a", 0, '0', huge), "has a damaged size at byte 0");
  expect_refused(tar_header("a", 0, '0', "not a number"), "has a damaged size");
  std::string damaged = tar_member("a", "b");
  damaged[3] = 'x';
  expect_refused(damaged, "is not a tar archive, or is damaged: no header at byte 0");
  expect_refused(padded("<html>"), "is not a tar archive");
  expect_refused(tar_member("x", "99 path=a\n", 'x'), "has a damaged PAX header");
  expect_refused(tar_member("x", "-9 path=a\n", 'x'), "has a damaged PAX header");
  expect_refused(tar_member("x", "11 size=x1\n", 'x') + tar_member("a", "b"), "has a damaged PAX header");
  expect_refused(tar_member("x", "22 GNU.sparse.major=1\n", 'x'), "has sparse files");
  expect_refused(tar_member("a", "b", 'S'), "has sparse files");
  expect_refused(tar_member("L", std::string((1 << 20) + 1, 'n'), 'L'),
                 "has a name or PAX header of 1048577 bytes");
}

TEST(Tar, CompressedOnesAreNamed) {
  for (const std::string start : {"\x1f\x8b\x08", "BZh9",
                                  "\xFD"
                                  "7zXZ",
                                  "\x28\xB5\x2F\xFD"})
    expect_refused(padded(start), "is compressed, must be a plain tar archive");
}

// Any byte may be anything: an error, or a listing inside the archive.
TEST(Tar, DamageNeverReachesOutside) {
  const std::string good = tar_member("././@LongLink", std::string(200, 'n') + '\0', 'L') +
                           tar_member("a.jpg", "first") + tar_member("x", "12 path=abc\n", 'x') +
                           tar_member("b.jpg", std::string(600, 'b')) + kEnd;
  Stream stream(5);
  for (int repeat = 0; repeat < 5'000; ++repeat) {
    std::string bytes = good.substr(0, static_cast<std::size_t>(stream.below(std::ssize(good)) + 1));
    for (int k = 0; k < 3; ++k) bytes[stream.below(std::ssize(bytes))] = static_cast<char>(stream.below(256));
    // Headers whose checksum is wrong are not looked into.
    for (std::size_t at = 0; repeat % 4 != 0 && at + 512 <= bytes.size(); at += 512)
      bytes.replace(at + 148, 8, tar_checksum(bytes.substr(at, 512)));
    try {
      for (const TarMember& file : list(bytes).files) {
        EXPECT_LE(file.offset, bytes.size());
        EXPECT_LE(file.size, bytes.size() - file.offset);
      }
    } catch (const std::runtime_error&) {  // said what is wrong
    }
  }
}

// Another program's archives.
TEST(Tar, WhatTarWrites) {
  const TempFolder folder;
  folder.write("one.jpg", "first");
  folder.write(std::string(150, 'n') + ".jpg", "second");
  for (const std::string format : {"ustar", "gnu", "pax", "v7"}) {
    const std::string archive = folder.file(format + ".tar");
    const std::string names = format == "v7" ? "one.jpg" : "one.jpg " + std::string(150, 'n') + ".jpg";
    const std::string command =
        fmt::format("tar -C {} -cf {} --format={} {} 2>/dev/null", folder.path(), archive, format, names);
    const bool done = std::system(command.c_str()) == 0;
    if (format == "ustar" && !done) continue;  // a name of 154 letters has no place to be divided
    ASSERT_TRUE(done) << command;
    EXPECT_EQ(read_file_or_member(archive + "/one.jpg"), "first");
    if (format != "v7") {
      EXPECT_EQ(read_file_or_member(archive + "/" + std::string(150, 'n') + ".jpg"), "second");
    }
    EXPECT_THAT([&] { read_file_or_member(archive + "/two.jpg"); },
                ThrowsMessage<std::runtime_error>(HasSubstr("is not in the archive")));
  }
  EXPECT_EQ(read_file_or_member(folder.file("one.jpg")), "first");
}

}  // namespace
}  // namespace atcav::data
