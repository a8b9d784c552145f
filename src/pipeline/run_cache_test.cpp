#include "pipeline/run_cache.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

TEST(RunCache, WithoutAFolderNothingIsKept) {
  const RunCache none;
  int computed = 0;
  const auto compute = [&computed] {
    ++computed;
    return MatrixF::Ones(1, 2).eval();
  };
  none.kept("x", 1, 2, compute);
  none.kept("x", 1, 2, compute);
  EXPECT_FALSE(none);
  EXPECT_EQ(computed, 2);
  EXPECT_TRUE(none.remarks().empty());
}

TEST(RunCache, WhatIsKeptBelongsToSubjectAndWords) {
  const testing_support::TempFolder folder;
  const auto store = std::make_shared<data::Cache>(folder.file("cache"), 1);
  const RunCache ours(store, "model a");
  const MatrixF values = MatrixF::Constant(2, 3, 7);
  EXPECT_EQ(ours.kept("x", 2, 3, [&] { return values; }), values);
  EXPECT_EQ(ours.kept("x", 2, 3, []() -> MatrixF { throw std::logic_error("computed again"); }), values);
  EXPECT_FALSE(ours.find("y", 2, 3));
  EXPECT_FALSE(ours.find("x", 3, 2));
  EXPECT_FALSE(RunCache(store, "model b").find("x", 2, 3));
}

}  // namespace
}  // namespace atcav
