#include "data/file/atomic_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;
using testing_support::TempFolder;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TempFolder folder;
  {
    AtomicFile file(folder.file("a.json"));
    file.write("hello ");
    file.write("world");
    EXPECT_THAT(names_in(folder.path()), testing::Not(testing::Contains("a.json")));
    file.commit();
    EXPECT_EQ(folder.read("a.json"), "hello world");
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a.json"));
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TempFolder folder;
  folder.write("a", "old");
  { AtomicFile(folder.file("a")).write("new"); }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(AtomicFile, ReplacesKeepingPermissionsAndLinks) {
  const TempFolder folder;
  folder.write("real", "old");
  fs::permissions(folder.file("real"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder.file("link"));
  write_file_atomically(folder.file("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(folder.read("real"), "new");
  EXPECT_EQ(fs::status(folder.file("real")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(names_in(folder.path()).size(), 2u);
}

TEST(AtomicFile, LinksAreFollowedToFilesThatAreNotThereYet) {
  const TempFolder folder;
  fs::create_directory(folder.file("sub"));
  fs::create_symlink("sub/second", folder.file("first"));
  fs::create_symlink("../real", folder.file("sub/second"));
  write_file_atomically(folder.file("first"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.file("first")));
  EXPECT_TRUE(fs::is_symlink(folder.file("sub/second")));
  EXPECT_EQ(folder.read("real"), "new");
  fs::create_symlink("round", folder.file("round"));
  EXPECT_THROW(AtomicFile(folder.file("round")), std::runtime_error);
}

// In /tmp and the like the kernel protects whoever opens; a link that is read and followed by hand is not.
TEST(AtomicFile, LinksOfOthersInSharedFoldersAreRefused) {
  const TempFolder folder;
  const std::string shared = folder.file("shared"), link = shared + "/a";
  folder.write("secret", "mine");
  fs::create_directory(shared);
  fs::permissions(shared, fs::perms(01777));
  fs::create_symlink(folder.file("secret"), link);
  if (::lchown(link.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "cannot give files away";
  EXPECT_THROW(write_file_atomically(link, "new"), std::runtime_error);
  EXPECT_THROW(check_writable(link), std::runtime_error);
  EXPECT_EQ(folder.read("secret"), "mine");
  const std::string pipe = shared + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  ASSERT_EQ(::chown(pipe.c_str(), 65534, 65534), 0);
  EXPECT_THROW(write_file_atomically(pipe, "new"), std::runtime_error);  // and does not wait for a reader
  fs::permissions(shared, fs::perms(0755));
  write_file_atomically(link, "new");
  EXPECT_EQ(folder.read("secret"), "new");
}

TEST(AtomicFile, StaysInTheFolderItBeganIn) {
  const TempFolder folder;
  fs::create_directory(folder.file("first"));
  fs::create_directory(folder.file("second"));
  AtomicFile file(folder.file("first/a"));
  file.write("x");
  fs::rename(folder.file("first"), folder.file("moved"));
  fs::create_symlink("second", folder.file("first"));
  file.commit();
  EXPECT_EQ(folder.read("moved/a"), "x");
  EXPECT_FALSE(fs::exists(folder.file("second/a")));
}

TEST(AtomicFile, APipeBehindALinkIsWrittenDirectly) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  write_file_atomically(fmt::format("/proc/self/fd/{}", ends[1]), "through");
  std::array<char, 16> read{};
  EXPECT_EQ(::read(ends[0], read.data(), read.size()), 7);
  EXPECT_STREQ(read.data(), "through");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(WriteFilesAtomically, FoldersAreMadeAndGoAgainIfItFails) {
  const TempFolder folder;
  folder.write("file", "mine");
  fs::create_directory(folder.file("old"));
  const std::pair<std::string, std::string> impossible = {folder.file("file/b"), "b"};
  EXPECT_THROW(
      write_files_atomically({{folder.file("new/deep/a"), "a"}, {folder.file("old/a"), "a"}, impossible}),
      std::runtime_error);
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("file", "old"));
  EXPECT_THAT(names_in(folder.file("old")), ElementsAre());
  write_files_atomically({{folder.file("new/deep/a"), "a"}, {folder.file("new/b"), "b"}});
  EXPECT_EQ(folder.read("new/deep/a"), "a");
  EXPECT_EQ(folder.read("new/b"), "b");
}

TEST(AtomicFile, NewFilesFollowTheUmask) {
  const TempFolder folder;
  const mode_t old = ::umask(027);
  write_file_atomically(folder.file("a"), "x");
  ::umask(old);
  EXPECT_EQ(static_cast<int>(fs::status(folder.file("a")).permissions()), 0640);
}

TEST(AtomicFile, LongNamesAndThreads) {
  const TempFolder folder;
  const std::string path = folder.file(std::string(255, 'n'));
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&, i] { write_file_atomically(path, std::string(100'000, static_cast<char>('a' + i))); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string content = folder.read(std::string(255, 'n'));
  EXPECT_EQ(content, std::string(100'000, content.at(0)));
  EXPECT_EQ(names_in(folder.path()).size(), 1u);
}

TEST(AtomicFile, KilledWriterLeavesNothing) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(folder.file("a"));
    file.write("half");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  if (!names_in(folder.path()).empty()) {
    EXPECT_THAT(names_in(folder.path()), ElementsAre(StartsWith(".a.tmp-"))) << "no O_TMPFILE here";
  }
}

// Killed between the two names of a file that replaces another.
TEST(RemoveLeftBehind, TakesWhatDeadProcessesLeftAndNothingElse) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  std::array<char, 33> host{};
  ::gethostname(host.data(), host.size() - 1);
  const auto name = [&](const std::string& begin, pid_t process, const std::string& end) {
    return begin + ".tmp-" + host.data() + "-" + std::to_string(process) + end;
  };
  std::vector<std::string> kept = {name(".a.png", ::getpid(), "-3"), name("a.png", child, "-3"),
                                   name(".a.png", child, "-x"), name(".a.png", child, ""),
                                   ".a.png.tmp-elsewhere-" + std::to_string(child) + "-3"};
  for (const std::string& file : kept) folder.write(file, "x");
  folder.write(name(".a.png", child, "-3"), "x");
  remove_left_behind(folder.path());
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAreArray(kept));
}

TEST(AtomicFile, FailuresNamePathAndReason) {
  const TempFolder folder;
  const std::string lost = folder.file("missing/a");
  EXPECT_THAT([&] { write_file_atomically(lost, "x"); },
              ThrowsMessage<std::runtime_error>("[AtomicFile] " + lost +
                                                ": cannot create: No such file or directory"));
  EXPECT_THAT([&] { write_file_atomically(folder.path(), "x"); },
              ThrowsMessage<std::runtime_error>(EndsWith(": is a folder, must be a file")));
  EXPECT_THAT([&] { write_file_atomically(folder.file("new/"), "x"); },
              ThrowsMessage<std::runtime_error>(EndsWith(": must name a file, not a folder")));
  EXPECT_THAT([&] { write_file_atomically("/proc/a", "x"); },
              ThrowsMessage<std::runtime_error>(StartsWith("[AtomicFile] /proc/a: cannot create: ")));
}

TEST(AtomicFile, FullDisk) {
  EXPECT_THAT(
      [] { write_file_atomically("/dev/full", "x"); },
      ThrowsMessage<std::runtime_error>("[AtomicFile] /dev/full: cannot write: No space left on device"));
}

// A limit on the size of files makes the first write short and the next one fail.
TEST(AtomicFile, ShortWritesLeaveTheOldFile) {
  const TempFolder folder;
  folder.write("a", "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10'000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THAT([&] { write_file_atomically(folder.file("a"), std::string(20'000, 'x')); },
              ThrowsMessage<std::runtime_error>(AllOf(StartsWith("[AtomicFile] " + folder.file("a")),
                                                      EndsWith(": cannot write: File too large"))));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
}

TEST(AtomicFile, OneThatFailsLeavesNoneOfTheOthers) {
  const TempFolder folder;
  folder.write("a", "old");
  EXPECT_THROW(write_files_atomically({{folder.file("a"), "x"}, {folder.file("b"), "x"}, {"/dev/full", "x"}}),
               std::runtime_error);
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("a"));
  write_files_atomically({{folder.file("a"), "new"}, {folder.file("b"), "other"}});
  EXPECT_EQ(folder.read("a"), "new");
  EXPECT_EQ(folder.read("b"), "other");
}

TEST(CheckWritable, FailsAsWritingWouldAndLeavesNoTrace) {
  const TempFolder folder;
  EXPECT_NO_THROW(check_writable(folder.file("a")));
  folder.write("b", "old");
  EXPECT_NO_THROW(check_writable(folder.file("b")));
  EXPECT_EQ(folder.read("b"), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("b"));
  EXPECT_NO_THROW(check_writable("/dev/full"));
  for (const std::string& path : {folder.file("missing/a"), folder.file("b/a"), folder.path()})
    EXPECT_THROW(check_writable(path), std::runtime_error) << path;
}

// The reader of a pipe must not see a writer come and go.
TEST(CheckWritable, DoesNotOpenPipes) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_NO_THROW(check_writable(folder.file("pipe")));  // opening it would wait for a reader
}

TEST(AtomicFile, PipesAreWrittenDirectly) { EXPECT_NO_THROW(write_file_atomically("/dev/null", "x")); }

TEST(AtomicFile, WhatAKilledProgramLeftIsRemovedByTheNext) {
  const TempFolder folder;
  std::array<char, 33> host{};
  gethostname(host.data(), host.size() - 1);
  const auto hidden = [&](const std::string& rest) {
    return folder.path() + "/.a.tmp-" + host.data() + rest;
  };
  // No process has the largest number; this one lives; the third belongs to another machine.
  for (const std::string& name : {hidden("-2147483647-0"), hidden(fmt::format("-{}-77", getpid())),
                                  folder.path() + "/.a.tmp-elsewhere-2147483647-0"})
    std::ofstream(name) << "half";
  write_file_atomically(folder.path() + "/a", "first");
  write_file_atomically(folder.path() + "/a", "second");
  EXPECT_THAT(names_in(folder.path()),
              UnorderedElementsAre("a", fmt::format(".a.tmp-{}-{}-77", host.data(), getpid()),
                                   ".a.tmp-elsewhere-2147483647-0"));
}

}  // namespace
}  // namespace atcav::data
