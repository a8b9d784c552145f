#include "atcav/io/closest_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace atcav::io {
namespace {

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
}  // namespace atcav::io
