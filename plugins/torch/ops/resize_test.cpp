#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

at::Tensor reals(std::vector<double> values) { return at::tensor(values, at::kDouble); }

TEST(ResizeOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({1, 1, 3, 4});
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    const OpCase op{"Resize", {text("mode", mode)}};
    EXPECT_LT(gradient_error(op, {x, at::Tensor(), reals({1, 1, 1.5, 0.6})}), 1e-8) << mode;
  }
  EXPECT_LT(gradient_error({"Upsample"}, {x, reals({1, 1, 2, 2})}), 1e-8);
  const at::Tensor grid = numbers({1, 2, 2, 2}, 1) * 0.9;
  EXPECT_LT(gradient_error({"GridSample"}, {x, grid}), 1e-7);
  EXPECT_LT(gradient_error({"GridSample"}, {x, grid}, 1), 1e-6);
}

TEST(ResizeOps, AgreesWithPyTorchsBilinear) {
  const at::Tensor x = numbers({1, 2, 5, 7});
  const OpCase op{"Resize",
                  {text("mode", "linear"), text("coordinate_transformation_mode", "pytorch_half_pixel")}};
  const at::Tensor sizes = at::tensor({1, 2, 8, 3}, at::kLong);
  const at::Tensor y = run_op(op, {x, at::Tensor(), at::Tensor(), sizes})[0];
  EXPECT_TRUE(at::allclose(y, at::upsample_bilinear2d(x, {8, 3}, false)));
}

TEST(ResizeOps, SizesFollowTheBatch) {
  const onnx::Node resize = node("Resize", {"x", "", "", "s"}, {"y"});
  const at::Tensor sizes = at::tensor({1, 1, 4, 4}, at::kLong);
  const Call call(resize, 17, {at::zeros({3, 1, 2, 2}), at::Tensor(), at::Tensor(), sizes}, {0, 3, 1});
  EXPECT_EQ(find_op(resize)->function(call)[0].sizes().vec(), (Sizes{3, 1, 4, 4}));
}

TEST(ResizeOps, KeepsTheAspectRatioWhenTold) {
  const OpCase op{"Resize", {text("keep_aspect_ratio_policy", "not_larger"), integers("axes", {2, 3})}, 18};
  const at::Tensor sizes = at::tensor({6, 6}, at::kLong);
  EXPECT_EQ(run_op(op, {at::zeros({1, 1, 2, 4}), at::Tensor(), at::Tensor(), sizes})[0].sizes().vec(),
            (Sizes{1, 1, 3, 6}));
}

TEST(ResizeOps, AbsurdScalesAreRefused) {
  EXPECT_THROW(run_op({"Upsample"}, {at::zeros({1, 1, 2, 2}), reals({1, 1, 1e5, 1e5})}), std::runtime_error);
  EXPECT_THROW(run_op({"Upsample"}, {at::zeros({1, 1, 2, 2}), reals({1, 1, -1, 1})}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
