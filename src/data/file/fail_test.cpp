#include "data/file/fail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <vector>

namespace atcav::data {
namespace {

using testing::ThrowsMessage;

TEST(FailFile, NamesFunctionFileAndReason) {
  EXPECT_THAT([] { fail_file("read_npy", "a.npy", "header is cut short"); },
              ThrowsMessage<std::runtime_error>("[read_npy] a.npy: header is cut short"));
  EXPECT_THAT([] { fail_system("AtomicFile", "a.npy", "cannot write", ENOSPC); },
              ThrowsMessage<std::runtime_error>("[AtomicFile] a.npy: cannot write: No space left on device"));
}

TEST(Quote, KeepsTextPrintableAndShort) {
  EXPECT_EQ(quote("conv1.weight"), "'conv1.weight'");
  EXPECT_EQ(quote("<f4"), "'<f4'");
  EXPECT_EQ(quote(std::string_view("a\n\0", 3)), "'a\\x0a\\x00'");
  EXPECT_EQ(quote(std::string(200, 'x')), "'" + std::string(60, 'x') + "…'");
}

TEST(ClosestNames, BestFirstThenByName) {
  // kitten → sitting takes three changes (the textbook example), kitten → mitten one.
  const std::vector<std::string> names = {"zzzzzzzzz", "sitting", "mitten", "bitten"};
  EXPECT_EQ(closest_names("kitten", names), "'bitten', 'mitten', 'sitting', 'zzzzzzzzz'");
  EXPECT_EQ(closest_names("kitten", names, 3), "'bitten', 'mitten', 'sitting' and 1 more");
}

TEST(ClosestNames, NoNamesAndAbsurdNames) {
  EXPECT_EQ(closest_names("x", {}), "none");
  const std::vector<std::string> names = {std::string(1'000'000, 'y'), ""};
  EXPECT_EQ(closest_names("x", names), "'', '" + std::string(60, 'y') + "…'");
}

}  // namespace
}  // namespace atcav::data
