#include "data/file/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

using testing::ElementsAre;
using testing_support::TempFolder;

TEST(Paths, ListsKeepTheirOrderAndPatternsHaveThatOfNames) {
  const TempFolder folder;
  const std::string b = folder.write("s-b.npy", "x");
  const std::string a = folder.write("s-a.npy", "x");
  const std::string ten = folder.write("s-10.npy", "x");
  folder.write(".s-hidden.npy", "x");
  EXPECT_THAT(split_list(b + "," + a), ElementsAre(b, a));
  EXPECT_THAT(expand_pattern(folder.file("s-*.npy")), ElementsAre(ten, a, b));
  EXPECT_THAT(expand_pattern(folder.file("s-[ab].npy")), ElementsAre(a, b));
  EXPECT_THAT(expand_pattern(folder.file("s-?.npy")), ElementsAre(a, b));
  EXPECT_THAT(expand_pattern("plain.npy"), ElementsAre("plain.npy"));
}

TEST(Paths, WhatExistsIsItself) {
  const TempFolder folder;
  const std::string comma = folder.write("a,b.npy", "x");
  const std::string star = folder.write("s-*.npy", "x");
  folder.write("s-1.npy", "x");
  EXPECT_THAT(split_list(comma), ElementsAre(comma));
  EXPECT_THAT(expand_pattern(star), ElementsAre(star));
  EXPECT_THAT(split_list("a.npy,"), ElementsAre("a.npy,"));
}

TEST(Paths, APatternOfNoFileIsNamed) {
  const TempFolder folder;
  const std::string pattern = folder.file("none-*.npy");
  EXPECT_FALSE(names_files(pattern));
  EXPECT_THAT([&] { expand_pattern(pattern); },
              testing::ThrowsMessage<std::runtime_error>(
                  "[open_array] " + pattern + ": is neither a file nor a pattern that matches files"));
}

}  // namespace
}  // namespace atcav::data
