#include "atcav/io/cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "atcav/base/random.h"

namespace atcav::io {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  CacheTest() : folder_(testing::TempDir() + "cache_test") { fs::remove_all(folder_); }
  ~CacheTest() override { fs::remove_all(folder_); }

  std::string folder_;
  MatrixF rows_ = Stream(1).normal_matrix(8, 100).cast<float>();
};

TEST_F(CacheTest, GivesBackWhatWasStored) {
  Cache cache(folder_, 1 << 20);
  EXPECT_FALSE(cache.find("a").has_value());
  cache.store("a", rows_);
  EXPECT_EQ(cache.find("a"), rows_);
  EXPECT_EQ(Cache(folder_, 1 << 20).find("a"), rows_);
  EXPECT_EQ(cache.hits(), 1);
  EXPECT_EQ(cache.misses(), 1);
}

// Every byte of an entry matters: flip some of them, header and values alike.
TEST_F(CacheTest, NoticesAFlippedByte) {
  Cache cache(folder_, 1 << 20);
  cache.store("a", rows_);
  const fs::path path = folder_ + "/a.safetensors";
  const auto size = static_cast<Index>(fs::file_size(path));
  for (const Index place : {Index{0}, Index{9}, Index{30}, size / 2, size - 1}) {
    cache.store("a", rows_);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const char byte = static_cast<char>(file.get());
    file.seekp(place);
    file.put(static_cast<char>(byte ^ 0x10));
    file.close();
    const auto found = cache.find("a");
    EXPECT_TRUE(!found.has_value() || *found == rows_) << place;
  }
  EXPECT_GE(cache.damaged(), 3);
}

TEST_F(CacheTest, TruncatedEntriesCountAsAbsentUntilReplaced) {
  Cache cache(folder_, 1 << 20);
  cache.store("a", rows_);
  fs::resize_file(folder_ + "/a.safetensors", 200);
  EXPECT_FALSE(cache.find("a").has_value());
  EXPECT_EQ(cache.damaged(), 1);
  cache.store("a", rows_);
  EXPECT_EQ(cache.find("a"), rows_);
}

TEST_F(CacheTest, TheLongestUnusedGoFirst) {
  Cache cache(folder_, 12000);  // room for three entries of about 3.4 kB
  for (const char* key : {"a", "b", "c"}) {
    cache.store(key, rows_);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(cache.find("a").has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cache.store("d", rows_);
  EXPECT_FALSE(fs::exists(folder_ + "/b.safetensors"));
  EXPECT_TRUE(fs::exists(folder_ + "/a.safetensors"));
  EXPECT_TRUE(fs::exists(folder_ + "/d.safetensors"));
}

// A folder in the way cannot be replaced by a file, not even by root.
TEST_F(CacheTest, WhatCannotBeWrittenIsNotKeptAndCounted) {
  Cache cache(folder_, 1 << 20);
  fs::create_directories(folder_ + "/a.safetensors/x");
  cache.store("a", rows_);
  cache.store("b", rows_);
  EXPECT_EQ(cache.not_kept(), 1);
  EXPECT_NE(cache.why_not_kept().find("a.safetensors: is a folder"), std::string::npos)
      << cache.why_not_kept();
  EXPECT_EQ(cache.find("b"), rows_);
}

TEST_F(CacheTest, TextsComeBackOrAreNoticed) {
  Cache cache(folder_, 1 << 20);
  EXPECT_EQ(cache.find_text("t"), std::nullopt);
  for (const std::string text : {"", "one\ntwo\n", "größe"}) {
    cache.store_text("t", text);
    EXPECT_EQ(cache.find_text("t"), text);
  }
  EXPECT_EQ(cache.damaged(), 0);
  std::ofstream(folder_ + "/t.txt", std::ios::app) << "x";
  EXPECT_EQ(cache.find_text("t"), std::nullopt);
  EXPECT_EQ(cache.damaged(), 1);
}

TEST_F(CacheTest, AFolderThatCannotBeMade) { EXPECT_THROW(Cache("/proc/none", 1), std::runtime_error); }

}  // namespace
}  // namespace atcav::io
