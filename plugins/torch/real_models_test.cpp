// Real networks against published and independently computed results. Needs the folder that the
// environment variable ATCAV_DATA names (models/, concepts/, classes/, random/, expected/); skipped without.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/array/open_array.h"
#include "model/find_layer.h"
#include "model/inputs.h"
#include "plugins/torch/onnx/parse_tensor.h"
#include "plugins/torch/torch_model.h"

namespace atcav::plugin {
namespace {

namespace fs = std::filesystem;
using model::InputBatch;
using model::Inputs;
using model::Pool;
using ModelPtr = std::unique_ptr<model::Model>;

class RealModels : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("ATCAV_DATA");
    if (folder == nullptr || !fs::is_directory(folder))
      GTEST_SKIP() << "ATCAV_DATA names no folder with data";
    data_ = folder;
  }
  std::string path(const std::string& name) const { return (data_ / name).string(); }

  fs::path data_;
};

InputBatch from_array(const std::string& path) {
  const data::Array array = data::open_array(path);
  const MatrixF values = array.read_float();
  return {array.shape(), {values.data(), values.data() + values.size()}, {}};
}

// Numbers from 0 to 1 in order, the input that ONNX's tests of the light models use.
InputBatch ramp(std::vector<Index> shape) {
  InputBatch batch{std::move(shape), {}, {}};
  Index count = 1;
  for (const Index size : batch.shape) count *= size;
  for (Index i = 0; i < count; ++i) batch.reals.push_back(static_cast<float>(i) / static_cast<float>(count));
  return batch;
}

InputBatch repeated(const InputBatch& one, Index times) {
  InputBatch batch = one;
  batch.shape[0] *= times;
  for (Index i = 1; i < times; ++i) batch.reals.insert(batch.reals.end(), one.reals.begin(), one.reals.end());
  return batch;
}

TEST_F(RealModels, ReproducePublishedOutputs) {
  for (const auto& [model_name, folder] :
       {std::pair("mobilenetv2", "mobilenetv2_nchw"), std::pair("squeezenet1.1", "squeezenet1.1_nchw")}) {
    const ModelPtr model = open_torch_model(path("models/" + std::string(model_name) + ".onnx"), {});
    for (int i = 0; i < 3; ++i) {
      const std::string pair = path("models/reference_io/" + std::string(folder) + "/" + std::to_string(i));
      const MatrixF expected = data::open_array(pair + "/output_0.npy").read_float();
      const MatrixF got = model->logits({from_array(pair + "/input_0.npy")})->host();
      ASSERT_EQ(got.cols(), expected.cols());
      EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 1e-3F * expected.cwiseAbs().maxCoeff()) << pair;
    }
  }
}

TEST_F(RealModels, LightModelsGiveTheirExpectedOutput) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(data_ / "models/onnx_light")) {
    if (entry.path().extension() != ".onnx") continue;
    ++models;
    // The published output is the last Softmax, where there is one.
    const ModelPtr model = open_torch_model(entry.path().string(), {});
    const std::string output =
        (entry.path().parent_path() / (entry.path().stem().string() + "_output_0.pb")).string();
    const onnx::Tensor published = onnx::parse_tensor(onnx::Bytes::own(data::read_file(output)));
    std::vector<float> expected(published.bytes.size() / sizeof(float));
    std::memcpy(expected.data(), published.bytes.data(), published.bytes.size());
    MatrixF got = model->logits({ramp({1, 3, 224, 224})})->host();
    if (!model->facts().notes.empty() && model->facts().notes.front().find("Softmax") != std::string::npos) {
      got = (got.array() - got.maxCoeff()).exp();
      got /= got.sum();
    }
    ASSERT_EQ(static_cast<std::size_t>(got.size()), expected.size());
    const Eigen::Map<const MatrixF> wanted(expected.data(), 1, got.cols());
    EXPECT_LT((got - wanted).cwiseAbs().maxCoeff(), 1e-3F * wanted.cwiseAbs().maxCoeff()) << entry.path();
  }
  EXPECT_EQ(models, 9);
}

TEST_F(RealModels, ExportsForOneImageRunInBatches) {
  for (const std::string name :
       {"cifar10/resnet_2b_cifar10", "cifar10/resnet_4b_cifar10", "cifar10/vit_ibp_3_3_8_cifar10",
        "cifar10/vit_pgd_2_3_16_cifar10", "squeezenet1.1_fp16"}) {
    const ModelPtr model = open_torch_model(path("models/" + name + ".onnx"), {});
    std::vector<Index> shape = model->facts().inputs.front().shape;
    shape[0] = 1;
    const InputBatch one = ramp(shape);
    const MatrixF alone = model->logits({one})->host();
    const MatrixF together = model->logits({repeated(one, 5)})->host();
    ASSERT_EQ(together.rows(), 5);
    EXPECT_LT((together.rowwise() - alone.row(0)).cwiseAbs().maxCoeff(), 1e-3F * alone.cwiseAbs().maxCoeff())
        << name;
    for (const std::string& note : model->facts().notes)
      EXPECT_EQ(note.find("at a time"), std::string::npos) << note;
  }
}

class Expected : public RealModels, public testing::WithParamInterface<const char*> {};

// All rows of a folder at the layer, in double.
Matrix activations(const ModelPtr& model, std::size_t layer, const std::string& folder) {
  Inputs inputs = Inputs::open(folder, model->facts().inputs,
                               {.preprocess = data::preprocess_preset(data::PreprocessPreset::kTorchvision)});
  Matrix rows(inputs.rows(), model->facts().layers[layer].size);
  for (Index first = 0; first < inputs.rows(); first += 32) {
    const MatrixF block =
        model->activations(std::array{layer}, inputs.read(first, 32), Pool::kNone)[0]->host();
    rows.middleRows(first, block.rows()) = block.cast<double>();
  }
  return rows;
}

Matrix gradients(const ModelPtr& model, std::size_t layer, const std::string& folder, Index target) {
  Inputs inputs = Inputs::open(folder, model->facts().inputs,
                               {.preprocess = data::preprocess_preset(data::PreprocessPreset::kTorchvision)});
  Matrix rows(inputs.rows(), model->facts().layers[layer].size);
  for (Index first = 0; first < inputs.rows(); first += 32) {
    const MatrixF block =
        model->gradients(std::array{layer}, inputs.read(first, 32), {target}, Pool::kNone).layers[0]->host();
    rows.middleRows(first, block.rows()) = block.cast<double>();
  }
  return rows;
}

void expect_close(double got, const nlohmann::json& expected, const char* what) {
  EXPECT_NEAR(got, expected.get<double>(), 1e-3 * std::abs(expected.get<double>())) << what;
}

TEST_P(Expected, PatternCavMeetsTheIndependentComputation) {
  const auto expected =
      nlohmann::json::parse(std::ifstream(path("expected/" + std::string(GetParam()) + ".json")));
  const ModelPtr model = open_torch_model(path("models/" + expected["model"].get<std::string>()), {});
  const std::size_t layer = model::find_layer(model->facts(), expected["layer"].get<std::string>()).position;
  EXPECT_EQ(model->facts().layers[layer].size, expected["d"].get<Index>());
  const Matrix random = activations(model, layer, path("random/imagenet500"));
  const Matrix examples =
      activations(model, layer, path("concepts/" + expected["concept"].get<std::string>()));
  const Matrix z = gradients(model, layer, path("classes/zebra_340"), expected["target"].get<Index>());
  const Vector cav = (examples.colwise().mean() - random.colwise().mean()).transpose();
  const Vector s = z * cav;
  for (Index i = 0; i < 5; ++i)
    expect_close(s(i), expected["sensitivity_first5"][static_cast<std::size_t>(i)], "S");
  expect_close(s.mean(), expected["sensitivity_mean"], "mean");
  expect_close(std::sqrt((s.array() - s.mean()).square().mean()), expected["sensitivity_std_population"],
               "std");
  expect_close(static_cast<double>((s.array() > 0).count()) / static_cast<double>(s.size()), expected["tcav"],
               "tcav");
  expect_close(random.mean(), expected["activation_mean"], "activation mean");
  expect_close(z.cwiseAbs().mean(), expected["gradient_abs_mean"], "gradient mean");
}

INSTANTIATE_TEST_SUITE_P(Files, Expected,
                         testing::Values("mobilenetv2_add_72_zebra_dotted",
                                         "mobilenetv2_add_72_zebra_striped",
                                         "mobilenetv2_add_72_zebra_zigzagged",
                                         "squeezenet1.1_concat5_zebra_striped"));

}  // namespace
}  // namespace atcav::plugin
