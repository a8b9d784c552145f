#include "command_line.h"

#include <gtest/gtest.h>

namespace atcav::cli {
namespace {

TEST(Quoted, LeavesPlainArgumentsAndQuotesTheOthers) {
  EXPECT_EQ(quoted({"score", "--concept", "striped=a/b-1.npy"}), "atcav score --concept striped=a/b-1.npy");
  EXPECT_EQ(quoted({"a b", "", "$HOME", "it's"}), "atcav 'a b' '' '$HOME' 'it'\\''s'");
}

}  // namespace
}  // namespace atcav::cli
