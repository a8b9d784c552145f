#include "plugins/torch/onnx/eraser_nodes.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace atcav::onnx {
namespace {

using model::Pool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

model::LayerEraser eraser(Pool pool, Index columns) {
  return {"h", pool, MatrixF::Ones(2, columns), MatrixF::Ones(2, columns), Eigen::VectorXf::Zero(2), ""};
}

// Without constants.
std::vector<std::string> ops(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) {
    if (node.op != "Constant") names.push_back(node.op);
  }
  return names;
}

std::vector<std::string> ops_for(Pool pool, LayerPlace place, Index columns = 3) {
  return ops(eraser_nodes(eraser(pool, columns), place, "h/repair"));
}

TEST(EraserNodes, AreAFewStandardOps) {
  EXPECT_THAT(ops_for(Pool::kNone, {{1, 3}, {}, 7}), ElementsAre("MatMul", "Sub", "MatMul", "Sub"));
  EXPECT_THAT(ops_for(Pool::kNone, {{1, 3, 4, 4}, {2, 3}, 13}, 48),
              ElementsAre("Flatten", "MatMul", "Sub", "MatMul", "Reshape", "Sub"));
  EXPECT_THAT(ops_for(Pool::kMean, {{1, 3, 4, 4}, {2, 3}, 13}),
              ElementsAre("ReduceMean", "MatMul", "Sub", "MatMul", "Reshape", "Sub"));
  EXPECT_THAT(
      ops_for(Pool::kFirst, {{1, 5, 3}, {1}, 13}),
      ElementsAre("Slice", "Flatten", "MatMul", "Sub", "MatMul", "Reshape", "Sub", "Slice", "Concat"));
}

TEST(EraserNodes, ReadTheOldTensorAndMakeIt) {
  const auto nodes = eraser_nodes(eraser(Pool::kMean, 3), {{1, 3, 4, 4}, {2, 3}, 18}, "h/repair");
  EXPECT_EQ(nodes.back().outputs, std::vector<std::string>{"h"});
  EXPECT_EQ(nodes.back().inputs.front(), "h/repair/before");
  EXPECT_EQ(nodes[1].op, "ReduceMean");
  EXPECT_EQ(nodes[1].inputs.size(), 2U);  // axes are an input from opset 18 on
}

TEST(EraserNodes, ComputeInFloatWhateverTheLayerHas) {
  EXPECT_THAT(ops_for(Pool::kNone, {{1, 3}, {}, 13, Type::kFloat16}),
              ElementsAre("Cast", "MatMul", "Sub", "MatMul", "Cast", "Sub"));
  EXPECT_THAT(ops_for(Pool::kNone, {{1, 3}, {}, 15, std::nullopt}),
              ElementsAre("Cast", "MatMul", "Sub", "MatMul", "CastLike", "Sub"));
}

TEST(EraserNodes, RefuseWhatTheyCannotDo) {
  const auto refuses = [](Pool pool, const LayerPlace& place, const char* why) {
    EXPECT_THAT([&] { ops_for(pool, place); }, ThrowsMessage<std::invalid_argument>(HasSubstr(why)));
  };
  refuses(Pool::kNone, {{1, 3}, {}, 6}, "opset 6, must have 7");
  refuses(Pool::kNone, {{1, 3}, {}, 14, std::nullopt}, "opset 14, must have 15");
  refuses(Pool::kLast, {{1, 5, 3}, {1}, 9}, "opset 9, must have 10");
  refuses(Pool::kMax, {{1, 3, 4, 4}, {2, 3}, 13}, "pool is max");
  refuses(Pool::kFirst, {{1, 3, 4, 4}, {2, 3}, 13}, "2 dimensions of positions");
}

}  // namespace
}  // namespace atcav::onnx
