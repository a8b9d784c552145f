#include "plugins/torch/ops/table.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

TEST(OpTable, FindsOpsOfOnnxsOwnDomainOnly) {
  onnx::Node conv = testing_support::node("Conv", {}, {});
  EXPECT_NE(find_op(conv), nullptr);
  conv.domain = "com.example";
  EXPECT_EQ(find_op(conv), nullptr);
  EXPECT_EQ(find_op(testing_support::node("StringNormalizer", {}, {})), nullptr);
}

TEST(OpTable, NamesAreSortedAndUnique) {
  const auto names = op_names();
  EXPECT_GT(names.size(), 120U);
  for (std::size_t i = 1; i < names.size(); ++i) EXPECT_LT(names[i - 1], names[i]);
}

TEST(OpTable, DocumentationListsEveryOp) {
  std::ifstream file(ATCAV_SOURCE_DIR "/docs/models.md");
  ASSERT_TRUE(file) << "docs/models.md is missing";
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const std::string& name : op_names()) EXPECT_THAT(page, testing::HasSubstr("`" + name + "`"));
}

}  // namespace
}  // namespace atcav::plugin
