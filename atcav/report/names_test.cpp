#include "atcav/report/names.h"

#include <gtest/gtest.h>

#include "atcav/report/testing_results.h"

namespace atcav::report {
namespace {

using Names = std::vector<std::string>;

TEST(Names, AppearOnceInOrder) {
  const std::vector<Result> results = {example_result("b", "l2"), example_result("a", "l2"),
                                                   example_result("b", "l1")};
  EXPECT_EQ(concepts_of(results), (Names{"b", "a"}));
  EXPECT_EQ(classes_of(results), (Names{"zebra"}));
  EXPECT_EQ(layers_of(results), (Names{"l2", "l1"}));
}

TEST(Names, AreListedAsInASentence) {
  EXPECT_EQ(listed({"a"}, 3, "classes"), "a");
  EXPECT_EQ(listed({"a", "b"}, 3, "classes"), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}, 3, "classes"), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c"}, 2, "classes"), "3 classes");
  EXPECT_EQ(counted(1, "concept", "concepts"), "1 concept");
  EXPECT_EQ(counted(2, "concept", "concepts"), "2 concepts");
}

}  // namespace
}  // namespace atcav::report
