#include "plugins/torch/erase_model.h"

#include <gmock/gmock.h>

#include <array>
#include <functional>

#include "data/file/reader.h"
#include "model/find_layer.h"
#include "plugins/torch/onnx/parse_model.h"
#include "tests/support/onnx_model.h"
#include "tests/support/temp_folder.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better
using model::InputBatch;
using model::Pool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

onnx::Model image_network(std::int64_t opset = 17) {
  return onnx_model({value("x", {-1, 2, 5, 5})},
                    {noise("W", {3, 2, 3, 3}), noise("B", {3}), noise("M", {3, 4})},
                    {node("Conv", {"x", "W", "B"}, {"h"}), node("Relu", {"h"}, {"r"}),
                     node("GlobalAveragePool", {"r"}, {"p"}),
                     node("Flatten", {"p"}, {"f"}, {integer("axis", 1)}), node("MatMul", {"f", "M"}, {"y"})},
                    {value("y", {-1, 4})}, opset);
}

onnx::Model sequence_network() {
  return onnx_model({value("x", {-1, 5, 3})}, {noise("A", {3, 4}), noise("M", {4, 2}, 1)},
                    {node("MatMul", {"x", "A"}, {"h"}), node("Tanh", {"h"}, {"t"}),
                     node("ReduceMax", {"t"}, {"m"}, {integers("axes", {1}), integer("keepdims", 0)}),
                     node("MatMul", {"m", "M"}, {"y"})},
                    {value("y", {-1, 2})});
}

InputBatch batch(std::vector<Index> shape, double seed) {
  const onnx::Tensor tensor = noise("x", {shape.begin(), shape.end()}, seed);
  const auto* values = reinterpret_cast<const float*>(tensor.bytes.view().data());
  return {shape, {values, values + tensor.bytes.size() / sizeof(float)}, {}};
}

MatrixF some(Index rows, Index columns, double seed) {
  const onnx::Tensor tensor = noise("m", {rows, columns}, seed);
  return Eigen::Map<const MatrixF>(reinterpret_cast<const float*>(tensor.bytes.view().data()), rows, columns);
}

model::LayerEraser eraser_at(const char* layer, Pool pool, Index columns) {
  return {layer, pool, some(2, columns, 3), some(2, columns, 5), Eigen::VectorXf{{0.3F, -0.2F}}, "test"};
}

// positions × channels of one example in place of rows of the layer.
using Positions = Eigen::Map<Eigen::MatrixXf, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
using Erase = std::function<void(Positions&, const model::LayerEraser&)>;

void move_all(Positions& h, const model::LayerEraser& eraser) {
  const Eigen::VectorXf mean = h.colwise().mean().transpose();
  const Eigen::VectorXf move = eraser.directions.transpose() * (eraser.readers * mean - eraser.offset);
  h.rowwise() -= move.transpose();
}

Erase move_token(Index token) {
  return [token](Positions& h, const model::LayerEraser& eraser) {
    const Eigen::VectorXf at = h.row(token).transpose();
    h.row(token) -= (eraser.directions.transpose() * (eraser.readers * at - eraser.offset)).transpose();
  };
}

// The repaired network's logits are those of the old one from the layer on, with the erased activations.
void expect_closed_form(const onnx::Model& graph, const InputBatch& x, const model::LayerEraser& eraser,
                        bool channels_first, const Erase& erase) {
  const TempFolder folder;
  const std::string path = folder.write("m.onnx", model_bytes(graph));
  const auto network = model::open_onnx(path, {});
  const std::size_t layer = model::find_layer(network->facts(), eraser.tensor).position;
  MatrixF rows = network->activations(std::array{layer}, {x}, Pool::kNone)[0]->host();
  const Index channels = eraser.directions.cols();
  const Index positions = rows.cols() / channels;
  for (Index i = 0; i < rows.rows(); ++i) {
    Positions h(rows.row(i).data(), positions, channels,
                channels_first ? Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(positions, 1)
                               : Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(1, channels));
    erase(h, eraser);
  }
  const MatrixF expected = network->logits_from(layer, rows, {x})->host();
  const model::ErasedOnnx erased = model::erase_in_onnx(path, {}, eraser);
  EXPECT_FALSE(expected.isApprox(network->logits({x})->host(), 1e-3F));
  // Both are float: sums of at most 48 numbers near 1.
  EXPECT_TRUE(erased.network->logits({x})->host().isApprox(expected, 1e-5F));
  EXPECT_THAT(erased.ways_past, IsEmpty());
  // The file is what was opened, and has the erased layer under its old name.
  const auto again = model::open_onnx(folder.write("fixed.onnx", erased.file), {});
  EXPECT_TRUE(again->logits({x})->host().isApprox(expected, 1e-5F));
  const std::size_t there = model::find_layer(again->facts(), eraser.tensor).position;
  EXPECT_TRUE(
      MatrixF(again->activations(std::array{there}, {x}, Pool::kNone)[0]->host()).isApprox(rows, 1e-5F));
}

void whole(Positions& h, const model::LayerEraser& eraser) { move_all(h, eraser); }

TEST(EraseInModel, WholeLayersLoseTheDirection) {
  expect_closed_form(image_network(), batch({3, 2, 5, 5}, 1), eraser_at("h", Pool::kNone, 27), true, whole);
  expect_closed_form(image_network(), batch({3, 2, 5, 5}, 1), eraser_at("f", Pool::kNone, 3), true, whole);
}

TEST(EraseInModel, MeanMovesEveryPositionAlike) {
  for (const std::int64_t opset : {9, 17, 18})
    expect_closed_form(image_network(opset), batch({3, 2, 5, 5}, 1), eraser_at("h", Pool::kMean, 3), true,
                       move_all);
  expect_closed_form(sequence_network(), batch({3, 5, 3}, 1), eraser_at("h", Pool::kMean, 4), false,
                     move_all);
}

TEST(EraseInModel, TokensMoveAlone) {
  const InputBatch x = batch({3, 5, 3}, 2);
  expect_closed_form(sequence_network(), x, eraser_at("h", Pool::kFirst, 4), false, move_token(0));
  expect_closed_form(sequence_network(), x, eraser_at("h", Pool::kLast, 4), false, move_token(4));
  expect_closed_form(sequence_network(), x, eraser_at("h", Pool::at(2), 4), false, move_token(2));
  expect_closed_form(sequence_network(), x, eraser_at("h", Pool::at(4), 4), false, move_token(4));
}

TEST(EraseInModel, CanBeDoneAgainAndLeavesExternalDataWhereTheyAre) {
  const TempFolder folder;
  folder.write("w.bin", std::string(8, '\0'));
  const std::string first = folder.write("m.onnx", model_bytes(image_network(), "w.bin"));
  const std::string second =
      folder.write("once.onnx", model::erase_in_onnx(first, {}, eraser_at("h", Pool::kMean, 3)).file);
  const model::ErasedOnnx twice = model::erase_in_onnx(second, {}, eraser_at("h", Pool::kMean, 3));
  EXPECT_LT(twice.file.find("test; test"), 40U);
  EXPECT_NE(twice.file.find("h/repair2/before"), std::string::npos);
  EXPECT_EQ(twice.network->facts().logit_count, 4);
}

TEST(EraseInModel, SaysWhichInputsPassTheLayerBy) {
  const TempFolder folder;
  const onnx::Model graph =
      onnx_model({value("x", {-1, 3})}, {noise("A", {3, 3})},
                 {node("MatMul", {"x", "A"}, {"h"}), node("Add", {"h", "x"}, {"y"})}, {value("y", {-1, 3})});
  const std::string path = folder.write("m.onnx", model_bytes(graph));
  EXPECT_THAT(model::erase_in_onnx(path, {}, eraser_at("h", Pool::kNone, 3)).ways_past, ElementsAre("x"));
}

TEST(EraseInModel, RefusesLayersThatCannotBeWritten) {
  const TempFolder folder;
  const std::string path = folder.write("m.onnx", model_bytes(image_network(6)));
  const auto refuses = [&](const char* layer, const char* why) {
    EXPECT_THAT([&] { model::erase_in_onnx(path, {}, eraser_at(layer, Pool::kNone, 3)); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(why)));
  };
  refuses("f", "opset 6");
  refuses("x", "is made inside");
  refuses("nowhere", "is not in the file's outer graph");
}

}  // namespace
}  // namespace atcav::plugin
