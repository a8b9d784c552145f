#include "model/plugin.h"

#include <gmock/gmock.h>

#include "plugins/torch/torch_model.h"
#include "tests/support/onnx_model.h"
#include "tests/support/temp_folder.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// Through dlopen and back: numbers, facts and errors are those of the code inside.
TEST(Plugin, IsWhatOpenOnnxOpens) {
  const TempFolder folder;
  const onnx::Model graph = onnx_model({value("x", {-1, 3})}, {noise("A", {3, 4})},
                                       {node("MatMul", {"x", "A"}, {"y"})}, {value("y", {-1, 4})});
  const auto model = model::open_onnx(folder.write("m.onnx", model_bytes(graph)), {});
  const std::vector<model::InputBatch> inputs = {{{2, 3}, {1, 2, 3, 4, 5, 6}, {}}};
  EXPECT_TRUE(model->logits(inputs)->host().isApprox(make_torch_model(graph)->logits(inputs)->host()));
  EXPECT_EQ(model->facts().layers.at(0).name, "y");
  EXPECT_THROW(model->logits({}), std::invalid_argument);
  folder.write("bad.onnx", "\x0A\xFF");
  EXPECT_THROW(model::open_onnx(folder.file("bad.onnx"), {}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
