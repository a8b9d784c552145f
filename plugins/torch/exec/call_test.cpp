#include "plugins/torch/exec/call.h"

#include <gmock/gmock.h>

#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Call, FailuresNameNodeOpAndAttribute) {
  const onnx::Node conv = node("Conv", {"x"}, {"y"}, {text("group", "two")}, "first");
  const Call call(conv, 17, {at::ones({2})});
  EXPECT_THAT([&] { call.integer("group", 1); },
              ThrowsMessage<std::runtime_error>(HasSubstr("node 'first' (Conv): attribute 'group'")));
  EXPECT_THAT([&] { call.in(1); }, ThrowsMessage<std::runtime_error>(HasSubstr("input 1 is missing")));
  EXPECT_THAT([&] { axis_of(call, 3, 2); }, ThrowsMessage<std::runtime_error>(HasSubstr("axis is 3")));
  EXPECT_THAT([&] { call.number_in(0); }, ThrowsMessage<std::runtime_error>(HasSubstr("must be 1")));
}

TEST(Call, ListsComeFromAttributeOrInput) {
  const onnx::Node with = node("Squeeze", {"x"}, {"y"}, {integers("axes", {1})});
  EXPECT_EQ(*Call(with, 11, {at::ones({2})}).integers("axes", 1), (Sizes{1}));
  EXPECT_EQ(*Call(with, 13, {at::ones({2}), at::tensor({4, 5}, at::kInt)}).integers("axes", 1),
            (Sizes{4, 5}));
  const onnx::Node without = node("Squeeze", {"x"}, {"y"});
  EXPECT_FALSE(Call(without, 13, {at::ones({2})}).integers("axes", 1).has_value());
}

TEST(Call, SizesAreChecked) {
  const onnx::Node any = node("Tile", {"x"}, {"y"});
  const Call call(any, 13, {});
  check_size(call, {1 << 14, 1 << 14});
  EXPECT_THROW(check_size(call, {1 << 15, 1 << 14}), std::runtime_error);
  EXPECT_THROW(check_size(call, {-1}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
