#include "atcav/nn/model.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "atcav/nn/model_facts.h"
#include "atcav/nn/preprocess.h"

namespace atcav::nn {
namespace {

Model known() {
  const ModelFacts facts{.inputs = {{"x", {-1, 3, 8, 8}, false}},
                         .layers = {{"half", "/block/Relu", "Relu", "block", {4, 2, 2}, 16}},
                         .pooled_columns = {4},
                         .logits = "y",
                         .logit_count = 10,
                         .notes = {"a note"}};
  return Model::load("no file is read", {.facts = write_facts(facts)});
}

TEST(KnownModel, SaysWhatWasSaidBefore) {
  const Model model = known();
  EXPECT_EQ(model.inputs()[0].name, "x");
  EXPECT_EQ(model.find_layer("block"), 0U);
  EXPECT_EQ(model.columns(0, Pool::none), 16);
  EXPECT_EQ(model.columns(0, Pool::mean), 4);
  EXPECT_EQ(model.logits(), "y");
  EXPECT_EQ(model.logit_count(), 10);
  EXPECT_EQ(model.notes(), std::vector<std::string>{"a note"});
}

TEST(KnownModel, AsksForTheNetworkWhereNumbersAreWanted) {
  const Model model = known();
  const std::array<std::size_t, 1> layer = {0};
  EXPECT_THROW(model.forward_to(layer, {}), NeedsNetwork);
  EXPECT_THROW(model.gradients(layer, {}, {0}), NeedsNetwork);
  EXPECT_THROW(Model::load("m.onnx"), NeedsNetwork);
  EXPECT_THROW(preprocess({}, {}, {}, "picture"), NeedsNetwork);
  EXPECT_THROW(Model::load("m.onnx", {.facts = "{}"}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::nn
