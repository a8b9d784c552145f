#include "atcav/model/facts.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "atcav/model/model.h"
#include "tests/support/onnx_model.h"

namespace atcav::model {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

onnx::Model two_steps() {
  return model({value("x", {-1, 2, 3, 3})}, {},
               {node("Relu", {"x"}, {"half"}, {}, "/block/Relu"), node("Flatten", {"half"}, {"y"})},
               {value("y", {-1, 18})});
}

TEST(ModelFacts, AreWhatTheModelSaysAndComeBackFromText) {
  const Model model = Model::from_graph(two_steps());
  const ModelFacts facts = read_facts(write_facts(facts_of(model)));
  ASSERT_EQ(facts.inputs.size(), 1U);
  EXPECT_EQ(facts.inputs[0].name, "x");
  EXPECT_EQ(facts.inputs[0].shape, model.inputs()[0].shape);
  EXPECT_EQ(facts.logits, model.logits());
  EXPECT_EQ(facts.logit_count, 18);
  EXPECT_EQ(facts.notes, model.notes());
  ASSERT_EQ(facts.layers.size(), model.layers().size());
  const std::size_t half = model.find_layer("half");
  EXPECT_EQ(facts.layers[half].path, "block");
  EXPECT_EQ(facts.layers[half].shape, (std::vector<Index>{2, 3, 3}));
  EXPECT_EQ(facts.layers[half].size, 18);
  EXPECT_EQ(facts.pooled_columns[half], 2);
}

TEST(ModelFacts, OtherTextIsRefused) {
  for (const char* text : {"", "{}", "[1]", R"({"logits":1})"})
    EXPECT_THROW(read_facts(text), std::runtime_error) << text;
}

}  // namespace
}  // namespace atcav::model
