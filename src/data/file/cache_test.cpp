#include "data/file/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "atcav/random.h"
#include "data/array/safetensors.h"
#include "data/file/sha256.h"
#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  static std::string path(const std::string& folder, const std::string& key) {
    return folder + "/" + key + ".atcav";
  }
  std::string path(const std::string& key) const { return path(folder_, key); }
  std::optional<MatrixF> find(Cache& cache, const std::string& key) const { return cache.find(key, 8, 100); }

  testing_support::TempFolder parent_;
  std::string folder_ = parent_.file("cache");
  MatrixF rows_ = Stream(1).normal_matrix(8, 100).cast<float>();
  std::string a_ = sha256("a"), b_ = sha256("b"), c_ = sha256("c"), d_ = sha256("d");
};

TEST_F(CacheTest, GivesBackWhatWasStored) {
  Cache cache(folder_, 1);
  EXPECT_FALSE(find(cache, a_).has_value());
  cache.store(a_, rows_);
  EXPECT_EQ(find(cache, a_), rows_);
  Cache other(folder_, 1);
  EXPECT_EQ(find(other, a_), rows_);
  EXPECT_EQ(cache.hits(), 1);
  EXPECT_EQ(cache.misses(), 1);
}

// Every byte of an entry matters: flip some of them, header and values alike.
TEST_F(CacheTest, NoticesAFlippedByte) {
  Cache cache(folder_, 1);
  cache.store(a_, rows_);
  const auto size = static_cast<Index>(fs::file_size(path(a_)));
  for (const Index place : {Index{0}, Index{9}, Index{30}, Index{100}, size / 2, size - 1}) {
    cache.store(a_, rows_);
    std::fstream file(path(a_), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const char byte = static_cast<char>(file.get());
    file.seekp(place);
    file.put(static_cast<char>(byte ^ 0x10));
    file.close();
    const auto found = find(cache, a_);
    EXPECT_TRUE(!found.has_value() || *found == rows_) << place;
  }
  EXPECT_GE(cache.damaged(), 4);
}

TEST_F(CacheTest, TruncatedEntriesCountAsAbsentUntilReplaced) {
  Cache cache(folder_, 1);
  cache.store(a_, rows_);
  fs::resize_file(path(a_), 200);
  EXPECT_FALSE(find(cache, a_).has_value());
  EXPECT_EQ(cache.damaged(), 1);
  cache.store(a_, rows_);
  EXPECT_EQ(find(cache, a_), rows_);
}

TEST_F(CacheTest, EntriesOfAnotherKeyOrShapeAreNeverGiven) {
  Cache cache(folder_, 1);
  cache.store(a_, rows_);
  fs::copy(path(a_), path(b_));
  EXPECT_EQ(cache.find(b_, 8, 100), std::nullopt);
  EXPECT_EQ(cache.find(a_, 100, 8), std::nullopt);
  EXPECT_EQ(cache.find(a_, 8, 101), std::nullopt);
  EXPECT_EQ(cache.damaged(), 3);
  EXPECT_EQ(cache.find(a_, 8, 100), rows_);
  cache.store_text(a_, "one");
  fs::copy(folder_ + "/" + a_ + ".atcav.txt", folder_ + "/" + b_ + ".atcav.txt");
  EXPECT_EQ(cache.find_text(b_), std::nullopt);
  EXPECT_EQ(cache.find_text(a_), "one");
  EXPECT_EQ(cache.damaged(), 4);
}

TEST_F(CacheTest, TheLongestUnusedGoFirst) {
  Cache cache(folder_, 12e-6);  // room for three entries of about 3.5 kB
  for (const std::string& key : {a_, b_, c_}) {
    cache.store(key, rows_);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(find(cache, a_).has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cache.store(d_, rows_);
  EXPECT_FALSE(fs::exists(path(b_)));
  EXPECT_TRUE(fs::exists(path(a_)));
  EXPECT_TRUE(fs::exists(path(d_)));
}

// Much larger than the limit, older than any entry, and none of the cache's business.
TEST_F(CacheTest, OnlyItsOwnEntriesAreCountedAndRemoved) {
  Cache(folder_, 1);
  const MatrixF large = MatrixF::Ones(100, 100);
  const std::vector<std::string> names = {"cavs.safetensors", a_ + ".safetensors", "notes.atcav", a_ + ".npy",
                                          a_.substr(1) + ".atcav"};
  for (const std::string& name : names) write_safetensors(folder_ + "/" + name, {{"rows", large}});
  Cache cache(folder_, 12e-6);
  for (const std::string& key : {a_, b_, c_}) cache.store(key, rows_);
  for (const std::string& key : {a_, b_, c_}) EXPECT_TRUE(fs::exists(path(key)));
  for (const char* text : {"e", "f", "g", "h"}) cache.store(sha256(text), rows_);
  for (const std::string& name : names) EXPECT_TRUE(fs::exists(folder_ + "/" + name)) << name;
}

TEST_F(CacheTest, AnyLimitIsALimit) {
  for (const double gigabytes : {1e12, 1e300}) {
    Cache cache(folder_, gigabytes);
    cache.store(a_, rows_);
    cache.store(b_, rows_);
    EXPECT_TRUE(fs::exists(path(a_))) << gigabytes;
  }
  EXPECT_THROW(Cache(folder_, -1), std::invalid_argument);
  EXPECT_THROW(Cache(folder_, std::nan("")), std::invalid_argument);
}

// A folder in the way cannot be replaced by a file, not even by root.
TEST_F(CacheTest, WhatCannotBeWrittenIsNotKeptAndCounted) {
  Cache cache(folder_, 1);
  fs::create_directories(path(a_) + "/x");
  cache.store(a_, rows_);
  cache.store(b_, rows_);
  EXPECT_EQ(cache.not_kept(), 1);
  EXPECT_NE(cache.why_not_kept().find(".atcav: is a folder"), std::string::npos) << cache.why_not_kept();
  EXPECT_EQ(find(cache, b_), rows_);
}

// Root may write everywhere: then the test goes on as nobody.
TEST_F(CacheTest, AFolderThatMayOnlyBeReadIsUsed) {
  {
    Cache cache(folder_, 1);
    cache.store(a_, rows_);
    cache.store_text(a_, "facts");
  }
  fs::permissions(parent_.path(), fs::perms(0755));
  fs::permissions(folder_, fs::perms(0555));
  const uid_t user = ::geteuid();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    ASSERT_EQ(user == 0 ? ::chown(entry.path().c_str(), 65534, 65534) : 0, 0);
  ASSERT_EQ(user == 0 ? ::seteuid(65534) : 0, 0);
  Cache cache(folder_, 1e-9);
  EXPECT_EQ(find(cache, a_), rows_);
  EXPECT_EQ(cache.find_text(a_), "facts");
  cache.store(b_, rows_);
  cache.store_text(b_, "more");
  ASSERT_EQ(::seteuid(user), 0);
  fs::permissions(folder_, fs::perms(0755));
  EXPECT_EQ(cache.not_kept(), 2);
  EXPECT_NE(cache.why_not_kept().find("Permission denied"), std::string::npos) << cache.why_not_kept();
  EXPECT_TRUE(fs::exists(path(a_)));
}

// Planted by somebody who may write to the folder too.
TEST_F(CacheTest, LinksAreNeitherReadNorFollowed) {
  Cache cache(folder_, 1);
  cache.store(a_, rows_);
  fs::rename(path(a_), parent_.file("elsewhere"));
  fs::create_symlink(parent_.file("elsewhere"), path(a_));
  EXPECT_EQ(find(cache, a_), std::nullopt);
  const std::string secret = parent_.write("secret", "mine");
  const std::string text = folder_ + "/" + b_ + ".atcav.txt";
  fs::create_symlink(secret, path(b_));
  fs::create_symlink(secret, text);
  cache.store(b_, rows_);
  cache.store_text(b_, "facts");
  EXPECT_EQ(parent_.read("secret"), "mine");
  EXPECT_FALSE(fs::is_symlink(path(b_)));
  EXPECT_EQ(find(cache, b_), rows_);
  EXPECT_EQ(cache.find_text(b_), "facts");
}

TEST_F(CacheTest, PipesAreNotWaitedForAndGo) {
  Cache cache(folder_, 1);
  ASSERT_EQ(::mkfifo(path(a_).c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder_ + "/" + a_ + ".atcav.txt").c_str(), 0600), 0);
  EXPECT_EQ(find(cache, a_), std::nullopt);
  EXPECT_EQ(cache.find_text(a_), std::nullopt);
  EXPECT_EQ(cache.damaged(), 2);
  cache.store(a_, rows_);
  EXPECT_EQ(find(cache, a_), rows_);
}

TEST_F(CacheTest, EntriesOfOtherUsersCountAsDamaged) {
  Cache cache(folder_, 1);
  cache.store(a_, rows_);
  cache.store_text(a_, "facts");
  if (::chown(path(a_).c_str(), 65534, 65534) != 0) GTEST_SKIP() << "cannot give files away";
  ASSERT_EQ(::chown((folder_ + "/" + a_ + ".atcav.txt").c_str(), 65534, 65534), 0);
  EXPECT_EQ(find(cache, a_), std::nullopt);
  EXPECT_EQ(cache.find_text(a_), std::nullopt);
  EXPECT_EQ(cache.damaged(), 2);
  cache.store(a_, rows_);
  EXPECT_EQ(find(cache, a_), rows_);
}

TEST_F(CacheTest, TextsComeBackOrAreNoticed) {
  Cache cache(folder_, 1);
  EXPECT_EQ(cache.find_text(a_), std::nullopt);
  for (const std::string text : {"", "one\ntwo\n", "größe"}) {
    cache.store_text(a_, text);
    EXPECT_EQ(cache.find_text(a_), text);
  }
  EXPECT_EQ(cache.damaged(), 0);
  std::ofstream(folder_ + "/" + a_ + ".atcav.txt", std::ios::app) << "x";
  EXPECT_EQ(cache.find_text(a_), std::nullopt);
  EXPECT_EQ(cache.damaged(), 1);
}

TEST_F(CacheTest, FoldersThatCannotBeMadeAndKeysThatAreNone) {
  EXPECT_THROW(Cache("/proc/none", 1), std::runtime_error);
  EXPECT_THROW(Cache(parent_.write("file", "x"), 1), std::runtime_error);
  Cache cache(folder_, 1);
  EXPECT_THROW(cache.store("../outside", rows_), std::invalid_argument);
  EXPECT_THROW(cache.find_text("a"), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::data
