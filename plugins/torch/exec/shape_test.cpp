#include <numeric>

#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(ShapeOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({1, 4, 2, 2});
  const auto list = [](std::vector<std::int64_t> values) { return at::tensor(values, at::kLong); };
  EXPECT_LT(gradient_error({"Reshape"}, {x, list({4, -1})}), 1e-8);
  EXPECT_LT(gradient_error({"Transpose", {integers("perm", {3, 1, 0, 2})}}, {x}), 1e-8);
  EXPECT_LT(gradient_error({"Flatten"}, {x}), 1e-8);
  EXPECT_LT(gradient_error({"Squeeze"}, {x, list({0})}), 1e-8);
  EXPECT_LT(gradient_error({"Unsqueeze"}, {x, list({0, -1})}), 1e-8);
  EXPECT_LT(gradient_error({"Expand"}, {x, list({2, 1, 1, 1, 2})}), 1e-8);
  EXPECT_LT(gradient_error({"Tile"}, {x, list({2, 1, 1, 3})}), 1e-8);
  EXPECT_LT(gradient_error({"DepthToSpace", {integer("blocksize", 2)}}, {x}), 1e-8);
  EXPECT_LT(gradient_error({"SpaceToDepth", {integer("blocksize", 2)}}, {x}), 1e-8);
  EXPECT_LT(gradient_error({"Trilu"}, {x}), 1e-8);
  EXPECT_LT(gradient_error({"Dropout"}, {x}), 1e-8);
}

TEST(ShapeOps, ReshapeCopiesZerosAndFollowsTheBatch) {
  const at::Tensor x = at::zeros({6, 4});
  EXPECT_EQ(run_op({"Reshape"}, {x, at::tensor({0, 2, 2}, at::kLong)})[0].sizes().vec(), (Sizes{6, 2, 2}));
  // Exported for 2 examples as [2, 4], run with 6.
  const onnx::Node reshape = node("Reshape", {"x", "s"}, {"y"});
  const Call call(reshape, 17, {x, at::tensor({2, 4}, at::kLong)}, {0, 6, 2});
  EXPECT_EQ(find_op(reshape)->function(call)[0].sizes().vec(), (Sizes{6, 4}));
}

// Two channels of four pixels: DCR puts the channels of one place together, CRD the places of one channel.
TEST(ShapeOps, SpaceToDepthKnowsBothOrders) {
  const at::Tensor x = at::arange(8, at::kDouble).reshape({1, 2, 2, 2});
  const auto moved = [&](const char* mode) {
    return run_op({"SpaceToDepth", {integer("blocksize", 2), text("mode", mode)}}, {x})[0];
  };
  expect_values(moved("DCR"), {1, 8, 1, 1}, {0, 4, 1, 5, 2, 6, 3, 7});
  expect_values(moved("CRD"), {1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_THROW(moved("RCD"), std::runtime_error);
  const OpCase back{"DepthToSpace", {integer("blocksize", 2), text("mode", "CRD")}};
  EXPECT_TRUE(at::equal(run_op(back, {moved("CRD")})[0], x));
}

TEST(ShapeOps, ShapeTakesAPartOfTheShape) {
  const at::Tensor x = at::zeros({2, 3, 5});
  expect_values(run_op({"Shape"}, {x})[0], {3}, {2, 3, 5});
  expect_values(run_op({"Shape", {integer("start", 1), integer("end", -1)}}, {x})[0], {1}, {3});
  expect_values(run_op({"Size"}, {x})[0], {}, {30});
}

TEST(ShapeOps, AbsurdResultsAreRefusedBeforeMemoryIsAskedFor) {
  const at::Tensor huge = at::tensor({1 << 20, 1 << 20}, at::kLong);
  EXPECT_THROW(run_op({"Expand"}, {at::zeros({1, 1}), huge}), std::runtime_error);
  EXPECT_THROW(run_op({"Tile"}, {at::zeros({1, 1}), huge}), std::runtime_error);
}

TEST(ShapeOps, DropoutInTrainingModeIsRefused) {
  const at::Tensor yes = at::ones({}, at::kBool);
  EXPECT_THROW(run_op({"Dropout"}, {at::ones({2}), at::Tensor(), yes}), std::runtime_error);
}

TEST(ShapeOps, SqueezeOfALongAxisIsNamed) {
  EXPECT_THROW(run_op({"Squeeze"}, {at::ones({2, 1}), at::tensor({0}, at::kLong)}), std::runtime_error);
}

TEST(ShapeOps, AbsurdNumbersOfDimensionsAreRefusedAtOnce) {
  Sizes axes(200'000);
  std::iota(axes.begin(), axes.end(), 0);
  EXPECT_THROW(run_op({"Unsqueeze", {integers("axes", axes)}, 11}, {at::ones({1})}), std::runtime_error);
  EXPECT_THROW(run_op({"Expand"}, {at::ones({1}), at::ones({100'000}, at::kLong)}), std::runtime_error);
}

// block² does not fit into 64 bits and would be 0.
TEST(ShapeOps, HugeBlocksAreRefused) {
  EXPECT_THROW(
      run_op({"DepthToSpace", {integer("blocksize", std::int64_t{1} << 32)}}, {at::ones({1, 4, 1, 1})}),
      std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
