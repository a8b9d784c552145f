#include "plugins/torch/torch_model.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <gmock/gmock.h>
#include <torch/version.h>

#include <array>

#include "data/file/sha256.h"
#include "model/find_layer.h"
#include "pass/backend.h"
#include "plugins/torch/onnx/graph.h"
#include "tests/support/onnx_model.h"
#include "tests/support/temp_folder.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better
using model::InputBatch;
using model::Model;
using model::Pool;
using ModelPtr = std::unique_ptr<Model>;

std::size_t layer_of(const ModelPtr& model, const char* name) {
  return find_layer(model->facts(), name).position;
}

// y = (relu(x·A))·B with A 3×4, B 4×2: the gradient of y_k at the relu is column k of B, whatever x.
ModelPtr two_layers(Index batch = 32) {
  return make_torch_model(onnx_model({value("x", {-1, 3})}, {noise("A", {3, 4}), noise("B", {4, 2}, 1)},
                                     {node("MatMul", {"x", "A"}, {"h"}), node("Relu", {"h"}, {"a"}),
                                      node("MatMul", {"a", "B"}, {"y"})},
                                     {value("y", {-1, 2})}),
                          {.batch = batch});
}

InputBatch examples(Index rows, std::vector<Index> shape = {3}) {
  Index each = 1;
  for (const Index size : shape) each *= size;
  shape.insert(shape.begin(), rows);
  InputBatch batch{shape, {}, {}};
  for (Index i = 0; i < rows * each; ++i) batch.reals.push_back(static_cast<float>((i * 7) % 5) - 2);
  return batch;
}

MatrixF weights(const onnx::Tensor& tensor) {
  MatrixF matrix(tensor.shape[0], tensor.shape[1]);
  std::memcpy(matrix.data(), tensor.bytes.data(), tensor.bytes.size());
  return matrix;
}

MatrixF matrix_b() { return weights(noise("B", {4, 2}, 1)); }

MatrixF activations(const ModelPtr& model, const char* layer, const InputBatch& batch,
                    Pool pool = Pool::kNone) {
  return model->activations(std::array{layer_of(model, layer)}, {batch}, pool)[0]->host();
}

MatrixF gradients(const ModelPtr& model, const char* layer, const InputBatch& batch,
                  const std::vector<Index>& targets, Pool pool = Pool::kNone) {
  return model->gradients(std::array{layer_of(model, layer)}, {batch}, targets, pool).layers[0]->host();
}

// As on a GPU: the model makes numbers of pixels, in either layout, bit for bit what the host would make.
TEST(TorchModel, PixelsBecomeNumbersInTheModel) {
  for (const bool channels_last : {false, true}) {
    const std::vector<Index> shape =
        channels_last ? std::vector<Index>{3, 4, 5, 2} : std::vector<Index>{3, 2, 4, 5};
    const ModelPtr model =
        make_torch_model(onnx_model({value("x", {-1, shape[1], shape[2], shape[3]})}, {},
                                    {node("Identity", {"x"}, {"y"}), node("Flatten", {"y"}, {"logits"})},
                                    {value("logits", {-1, 40})}),
                         {.batch = 2});
    InputBatch bytes{shape, {}, {}};
    bytes.pixels = {std::shared_ptr<std::uint8_t[]>(new std::uint8_t[120]),
                    120,
                    {1.0F / 255, {0.4F, 0.3F}, {0.2F, 0.7F}},
                    channels_last};
    for (int i = 0; i < 120; ++i) bytes.pixels->values[i] = static_cast<std::uint8_t>(i * 37);
    const MatrixF found = activations(model, "y", bytes);
    const data::Normalisation& how = bytes.pixels->how;
    for (int i = 0; i < 120; ++i) {
      const int c = i % 2;
      const int place = i % 40 / 2;
      const auto value = static_cast<float>(bytes.pixels->values[i]);
      const Index column = channels_last ? i % 40 : c * 20 + place;
      EXPECT_EQ(found(i / 40, column), (value * how.scale - how.mean[c]) / how.std[c]);
    }
  }
}

// A device without room for more than `most` bytes in one piece.
class SmallDevice final : public c10::Allocator {
 public:
  explicit SmallDevice(std::size_t most) : most_(most), before_(c10::GetCPUAllocator()) {
    c10::SetCPUAllocator(this, 1);
  }
  ~SmallDevice() override { c10::SetCPUAllocator(before_, 1); }
#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(std::size_t bytes) override { return checked(bytes); }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    std::memcpy(to, from, count);
  }
#else
  c10::DataPtr allocate(std::size_t bytes) const override { return checked(bytes); }
#endif
  c10::DeleterFnPtr raw_deleter() const override { return before_->raw_deleter(); }

 private:
  c10::DataPtr checked(std::size_t bytes) const {
    TORCH_CHECK_WITH(OutOfMemoryError, bytes <= most_, "no room");
    return before_->allocate(bytes);
  }
  std::size_t most_;
  c10::Allocator* before_;
};

TEST(TorchModel, ABatchThatFindsNoRoomIsHalved) {
  const MatrixF expected = activations(two_layers(), "a", examples(70));
  const ModelPtr model = two_layers(64);
  EXPECT_TRUE(model->remarks().empty());
  {
    const SmallDevice small(400);  // a layer of 64 examples takes 1024 bytes, of 16 it takes 256
    const RowsPtr found =
        model->activations(std::array{layer_of(model, "a")}, {examples(70)}, Pool::kNone)[0];
    EXPECT_EQ(MatrixF(found->host()), expected);
  }
  EXPECT_THAT(model->remarks(), testing::ElementsAre("cpu had no room for 32 examples at once: 16 were run"));
  const SmallDevice none(8);
  EXPECT_THAT([&] { activations(model, "a", examples(70)); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("has no room for 1 of")));
}

TEST(TorchModel, GradientsOfALinearTailAreItsWeights) {
  const ModelPtr model = two_layers();
  const MatrixF z = gradients(model, "a", examples(5), {1});
  ASSERT_EQ(z.rows(), 5);
  for (Index i = 0; i < 5; ++i) EXPECT_TRUE(z.row(i).transpose().isApprox(matrix_b().col(1)));
  const MatrixF each = gradients(model, "a", examples(2), {0, 1});
  EXPECT_TRUE(each.row(0).transpose().isApprox(matrix_b().col(0)));
  EXPECT_TRUE(each.row(1).transpose().isApprox(matrix_b().col(1)));
}

// h lies before a: its gradient is a's where h > 0 and 0 elsewhere. Both from one pass.
TEST(TorchModel, SeveralLayersComeOutOfOnePass) {
  const ModelPtr model = two_layers();
  const std::array layers = {layer_of(model, "h"), layer_of(model, "a")};
  const auto x = model->activations(layers, {examples(4)}, Pool::kNone);
  const auto z = model->gradients(layers, {examples(4)}, {0}, Pool::kNone).layers;
  EXPECT_TRUE(x[1]->host().isApprox(x[0]->host().cwiseMax(0)));
  EXPECT_TRUE(z[0]->host().isApprox((x[0]->host().array() > 0).select(z[1]->host(), MatrixF::Zero(4, 4))));
}

TEST(TorchModel, LeavesThePassOverRowsOnTheCpuToAtcav) {
  const ModelPtr model = two_layers();
  const RowsPtr rows = model->activations(std::array{layer_of(model, "a")}, {examples(3)}, Pool::kNone)[0];
  const MatrixF z = MatrixF::Ones(1, 4);
  EXPECT_EQ(model->start_pass({.gradients = z, .sets = {{"rows", 3}}, .scored = {{0}}}, *rows), nullptr);
}

TEST(TorchModel, MiniBatchesChangeNothing) {
  const ModelPtr whole = two_layers();
  const ModelPtr small = two_layers(3);
  const InputBatch x = examples(8);
  EXPECT_TRUE(activations(whole, "h", x).isApprox(activations(small, "h", x), 1e-6F));
  EXPECT_TRUE(gradients(whole, "h", x, {1}).isApprox(gradients(small, "h", x, {1}), 1e-6F));
  EXPECT_TRUE(whole->logits({x})->host().isApprox(small->logits({x})->host(), 1e-6F));
  const MatrixF a = activations(whole, "a", x);
  EXPECT_TRUE(small->logits_from(layer_of(small, "a"), a, {})->host().isApprox(a * matrix_b(), 1e-6F));
}

// The first layer is the input seen in another shape: its rows must not be the caller's memory.
TEST(TorchModel, ResultsOutliveTheInputs) {
  const ModelPtr model = make_torch_model(
      onnx_model({value("x", {-1, 3})}, {noise("A", {3, 2})},
                 {node("Flatten", {"x"}, {"f"}), node("MatMul", {"f", "A"}, {"y"})}, {value("y", {-1, 2})}));
  InputBatch batch = examples(2);
  const RowsPtr rows = model->activations(std::array{layer_of(model, "f")}, {batch}, Pool::kNone)[0];
  batch.reals.assign(6, 99);
  EXPECT_EQ(rows->host()(0, 0), -2);
}

// One example at a time when a network cannot be batched: the last block is filled up and cut again.
TEST(TorchModel, NetworksThatMixExamplesAreRunAlone) {
  const ModelPtr model = make_torch_model(
      onnx_model({value("x", {2, 3})}, {},
                 {node("ReduceMean", {"x"}, {"m"}, {integers("axes", {0})}), node("Sub", {"x", "m"}, {"y"})},
                 {value("y", {2, 3})}, 13));
  EXPECT_EQ(model->logits({examples(3)})->rows(), 3);
  EXPECT_THAT(model->facts().notes.back(), testing::HasSubstr("2 at a time"));
  ASSERT_EQ(model->facts().layers.size(), 1U);  // not the mean, one row for two examples
  EXPECT_EQ(model->facts().layers[0].name, "y");
}

TEST(TorchModel, PoolsOverPositions) {
  const ModelPtr model = make_torch_model(
      onnx_model({value("x", {-1, 2, 4, 4})}, {noise("w", {3, 2, 1, 1}), noise("fc", {3, 2}, 1)},
                 {node("Conv", {"x", "w"}, {"c"}), node("GlobalAveragePool", {"c"}, {"g"}),
                  node("Flatten", {"g"}, {"f"}), node("MatMul", {"f", "fc"}, {"y"})},
                 {value("y", {-1, 2})}));
  const InputBatch batch{{2, 2, 4, 4}, model::Reals(64, 0.5F), {}};
  EXPECT_EQ(model->facts().layers[layer_of(model, "c")].pooled_size, 3);
  const MatrixF whole = gradients(model, "c", batch, {0});
  const MatrixF pooled = gradients(model, "c", batch, {0}, Pool::kMean);
  EXPECT_EQ(pooled.cols(), 3);
  EXPECT_NEAR(pooled(0, 0), whole.row(0).head(16).sum(), 1e-6);
  EXPECT_NEAR(activations(model, "c", batch, Pool::kMean)(1, 2), activations(model, "c", batch)(1, 32), 1e-6);
}

TEST(TorchModel, TakesTokenIds) {
  const ModelPtr model = make_torch_model(
      onnx_model({value("ids", {-1, 3}, onnx::Type::kInt64)}, {noise("table", {5, 2})},
                 {node("Gather", {"table", "ids"}, {"e"}),
                  node("ReduceMean", {"e"}, {"y"}, {integers("axes", {1}), integer("keepdims", 0)})},
                 {value("y", {-1, 2})}, 13));
  const InputBatch ids{{2, 3}, {}, {0, 1, 4, 2, 2, 2}};
  const MatrixF z = gradients(model, "e", ids, {0});
  EXPECT_NEAR(z(0, 0), 1.0 / 3, 1e-6);
  EXPECT_EQ(z(0, 1), 0);
}

TEST(TorchModel, RefusesWhatDoesNotFit) {
  const ModelPtr model = two_layers();
  EXPECT_THROW(gradients(model, "h", examples(2), {2}), std::invalid_argument);
  EXPECT_THROW(gradients(model, "h", examples(2), {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(model->logits({}), std::invalid_argument);
  EXPECT_THROW(model->logits({examples(0)}), std::invalid_argument);
  EXPECT_THROW(model->activations(std::array{std::size_t{9}}, {examples(1)}, Pool::kNone),
               std::invalid_argument);
  EXPECT_THROW(model->logits_from(0, MatrixF::Zero(2, 3), {}), std::invalid_argument);
}

TEST(LogitsFrom, TheTailIsComputedFromWhatIsGiven) {
  const ModelPtr model = two_layers();
  const MatrixF moved = activations(model, "a", examples(4)).array() + 0.25F;
  EXPECT_TRUE(
      model->logits_from(layer_of(model, "a"), moved, {})->host().isApprox(moved * matrix_b(), 1e-6F));
  const MatrixF step = MatrixF::Constant(1, 4, 0.25F);
  const std::size_t layer = layer_of(model, "a");
  const RowsPtr there = model->activations(std::array{layer}, {examples(4)}, Pool::kNone).front();
  const model::Steps alike{MatrixF::Constant(1, 1, 0.5F), 2 * step};
  // Two directions, each with a row per example.
  const model::Steps own{MatrixF::Ones(4, 2), step.replicate(8, 1) / 2};
  for (const model::Steps& steps : {alike, own}) {
    EXPECT_TRUE(model->logits_moved(layer, *there, steps, {})->host().isApprox(moved * matrix_b(), 1e-6F));
    EXPECT_TRUE(model->logits_moved(layer, HostRows(there->host()), steps, {})
                    ->host()
                    .isApprox(moved * matrix_b(), 1e-6F));
    EXPECT_TRUE(model::moved(*there, steps).isApprox(moved, 1e-6F));
  }
  EXPECT_THROW(model->logits_moved(layer, *there, {MatrixF::Zero(1, 1), MatrixF::Zero(1, 3)}, {}),
               std::invalid_argument);
  // Rows of a larger matrix, without a copy of it.
  MatrixF wide = MatrixF::Constant(4, 6, 7);
  wide.leftCols(4) = moved;
  EXPECT_TRUE(model->logits_from(layer_of(model, "a"), wide.leftCols(4), {})
                  ->host()
                  .isApprox(moved * matrix_b(), 1e-6F));
}

// y = (relu(x·A) + x·A)·B: the sum goes round the relu, so the input is needed there and nowhere later.
TEST(LogitsFrom, WhatGoesRoundTheLayerComesFromTheInputs) {
  const ModelPtr model =
      make_torch_model(onnx_model({value("x", {-1, 3})}, {noise("A", {3, 4}), noise("B", {4, 2}, 1)},
                                  {node("MatMul", {"x", "A"}, {"h"}), node("Relu", {"h"}, {"a"}),
                                   node("Add", {"h", "a"}, {"s"}), node("MatMul", {"s", "B"}, {"y"})},
                                  {value("y", {-1, 2})}),
                       {.batch = 3});
  const InputBatch x = examples(5);
  const MatrixF logits = model->logits({x})->host();
  for (const char* layer : {"h", "a", "s", "y"}) {
    const RowsPtr again = model->logits_from(layer_of(model, layer), activations(model, layer, x), {x});
    EXPECT_TRUE(again->host().isApprox(logits, 1e-6F)) << layer;
  }
  const MatrixF h = activations(model, "h", x);
  const MatrixF moved = activations(model, "a", x).array() - 0.5F;
  EXPECT_TRUE(
      model->logits_from(layer_of(model, "a"), moved, {x})->host().isApprox((h + moved) * matrix_b(), 1e-5F));
  EXPECT_THAT([&] { model->logits_from(layer_of(model, "a"), moved, {}); },
              testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("goes round 'a'")));
  EXPECT_NO_THROW(model->logits_from(layer_of(model, "s"), moved, {}));
}

// A Split makes two tensors, one of which is replaced while the other is needed.
TEST(LogitsFrom, AStepWithSeveralOutputsDoesNotUndoIt) {
  const ModelPtr model = make_torch_model(onnx_model(
      {value("x", {-1, 4})}, {longs("sizes", {2}, {2, 2})},
      {node("Split", {"x", "sizes"}, {"a", "b"}, {integer("axis", 1)}), node("Add", {"a", "b"}, {"y"})},
      {value("y", {-1, 2})}));
  const InputBatch x = examples(2, {4});
  const MatrixF ones = MatrixF::Ones(2, 2);
  EXPECT_TRUE(model->logits_from(layer_of(model, "a"), ones, {x})
                  ->host()
                  .isApprox(activations(model, "b", x) + ones));
}

// Convolution and normalisation are one step in a run, unless the value between them is given. Four
// dimensions, so the layout in memory is not that of the rows.
TEST(LogitsFrom, WorksBetweenAConvolutionAndItsNormalisation) {
  const std::vector<float> variance = {0.5F, 1, 2};
  const ModelPtr model = make_torch_model(onnx_model(
      {value("x", {-1, 2, 4, 4})},
      {noise("w", {3, 2, 3, 3}), noise("s", {3}, 2), noise("h", {3}, 3), noise("m", {3}, 4),
       floats("v", {3}, variance), noise("fc", {12, 2}, 1)},
      {node("Conv", {"x", "w"}, {"c"}), node("BatchNormalization", {"c", "s", "h", "m", "v"}, {"n"}),
       node("Flatten", {"n"}, {"f"}), node("MatMul", {"f", "fc"}, {"y"})},
      {value("y", {-1, 2})}));
  const InputBatch x = examples(3, {2, 4, 4});
  for (const char* layer : {"c", "n"}) {
    const RowsPtr again = model->logits_from(layer_of(model, layer), activations(model, layer, x), {});
    EXPECT_TRUE(again->host().isApprox(model->logits({x})->host(), 1e-5F)) << layer;
  }
  const MatrixF moved = activations(model, "n", x).array() + 1;
  EXPECT_TRUE(model->logits_from(layer_of(model, "n"), moved, {})
                  ->host()
                  .isApprox(moved * weights(noise("fc", {12, 2}, 1)), 1e-5F));
}

TEST(OpenTorchModel, HashIsThatOfTheFile) {
  const TempFolder folder;
  const std::string bytes =
      model_bytes(onnx_model({value("x", {-1, 3})}, {}, {node("Neg", {"x"}, {"y"})}, {value("y", {-1, 3})}));
  const ModelPtr model = open_torch_model(folder.write("m.onnx", bytes), {});
  EXPECT_EQ(model->facts().hash, data::sha256(bytes));
  EXPECT_TRUE(model->facts().files.empty());
  EXPECT_EQ(model->facts().logits, "y");
}

// The hash covers weights that lie apart: other weights, another network.
TEST(OpenTorchModel, HashCoversExternalData) {
  const TempFolder folder;
  onnx::Model graph =
      onnx_model({value("x", {-1, 2})}, {}, {node("Add", {"x", "w"}, {"y"})}, {value("y", {-1, 2})});
  const std::string path = folder.write("m.onnx", model_bytes(graph, "weights.bin"));
  const auto open_with = [&](float weight) {
    const std::array<float, 2> w = {weight, 1};
    folder.write("weights.bin", {reinterpret_cast<const char*>(w.data()), sizeof w});
    return open_torch_model(path, {});
  };
  const ModelPtr one = open_with(1);
  const ModelPtr two = open_with(2);
  EXPECT_THAT(one->facts().files, testing::ElementsAre(folder.file("weights.bin")));
  EXPECT_EQ(two->facts().hash,
            data::sha256(data::sha256_file(path) + data::sha256_file(folder.file("weights.bin"))));
  EXPECT_NE(one->facts().hash, two->facts().hash);
}

// 2^48 bytes are more than a process can address. What LibTorch says about it is a page of C++.
TEST(OpenTorchModel, ErrorsOfLibTorchAreOneLine) {
  const auto open = [] {
    make_torch_model(
        onnx_model({value("x", {1, -1, -1, -1})}, {}, {node("Neg", {"x"}, {"y"})}, {value("y", {})}),
        {.shapes = {{1 << 20, 1 << 20, 1 << 5}}});
  };
  EXPECT_THAT(open, testing::ThrowsMessage<std::runtime_error>(testing::AllOf(
                        testing::HasSubstr("memory"), testing::Not(testing::HasSubstr("\n")))));
}

// From input data rather than from the file: the processor's trap would end the program. The divisor is 2b −
// 1, which the made-up inputs of the batch study do not make 0.
TEST(TorchModel, TheSmallestIntegerByMinusOneIsNoTrap) {
  const ModelPtr model = make_torch_model(
      onnx_model({value("ids", {-1, 2}, onnx::Type::kInt64)}, {longs("one", {1}, {1})},
                 {node("Split", {"ids"}, {"a", "b"}, {integer("axis", 1)}),
                  node("Add", {"b", "b"}, {"twice"}), node("Sub", {"twice", "one"}, {"odd"}),
                  node("Div", {"a", "odd"}, {"q"}), node("Cast", {"q"}, {"y"}, {integer("to", 1)})},
                 {value("y", {-1, 1})}, 13));
  const InputBatch batch{{2, 2}, {}, {std::numeric_limits<std::int64_t>::min(), 0, 9, 2}};
  EXPECT_EQ(model->logits({batch})->host()(1, 0), 3);
}

// Files that end in a message, and soon: nothing here may hang, crash or ask for much memory.
TEST(OpenTorchModel, MalformedModelsAreRefused) {
  const TempFolder folder;
  const auto refused = [&](const onnx::Model& bad, const char* why) {
    folder.write("bad.onnx", model_bytes(bad));
    EXPECT_THAT([&] { open_torch_model(folder.file("bad.onnx"), {}); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::AllOf(testing::HasSubstr("bad.onnx"), testing::HasSubstr(why))));
  };
  const std::vector<onnx::Value> in = {value("x", {1, 3})};
  const std::vector<onnx::Value> out = {value("y", {1, 3})};
  refused(
      onnx_model(in, {},
                 {node("Add", {"x", "b"}, {"a"}), node("Neg", {"a"}, {"b"}), node("Neg", {"b"}, {"y"})}, out),
      "cyclic");
  refused(onnx_model(in, {}, {node("Add", {"x", "gone"}, {"y"})}, out), "'gone'");
  refused(onnx_model(in, {}, {node("Swirl", {"x"}, {"y"}, {}, "odd")}, out), "node 'odd' (Swirl)");
  refused(onnx_model(in, {longs("s", {2}, {1'000'000'000, 1'000'000'000})},
                     {node("ConstantOfShape", {"s"}, {"c"}), node("Add", {"x", "c"}, {"y"})}, out),
          "ConstantOfShape");
  refused(onnx_model({value("x", {1, 1'000'000'000, 1'000'000'000})}, {}, {node("Neg", {"x"}, {"y"})}, out),
          "'x'");
  refused(onnx_model(in, {}, {node("Neg", {"x"}, {"y"})}, out, 99), "opset is 99");
  refused(onnx_model(in, {noise("w", {4, 4})}, {node("MatMul", {"x", "w"}, {"y"}, {}, "fc")}, out),
          "node 'fc' (MatMul)");
}

}  // namespace
}  // namespace atcav::plugin
