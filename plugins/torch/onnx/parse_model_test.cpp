#include "plugins/torch/onnx/parse_model.h"

#include <gmock/gmock.h>

#include <chrono>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

#include "tests/support/onnx_model.h"
#include "tests/support/temp_folder.h"

namespace atcav::onnx {
namespace {

using namespace testing_support;  // NOLINT: short cases read better
using testing::HasSubstr;
using testing::ThrowsMessage;

Model small_model() {
  Model model = testing_support::onnx_model(
      {value("x", {-1, 3})}, {floats("w", {3, 2}, {1, 2, 3, 4, 5, 6})},
      {node("Gemm", {"x", "w"}, {"y"},
            {integer("transB", 0), real("alpha", 0.5F), integers("extra", {1, -2})}, "fc")},
      {value("y", {-1, 2})});
  model.graph.inputs[0].symbols[0] = "batch";
  return model;
}

TEST(ParseModel, ReadsBackWhatWasWritten) {
  const Model model = parse_model(Bytes::own(model_bytes(small_model())));
  EXPECT_EQ(model.opset, 17);
  EXPECT_EQ(model.ir_version, 8);
  ASSERT_EQ(model.graph.nodes.size(), 1U);
  const Node& gemm = model.graph.nodes[0];
  EXPECT_EQ(gemm.title(), "node 'fc' (Gemm)");
  EXPECT_EQ(gemm.find("alpha")->real, 0.5F);
  EXPECT_EQ(gemm.find("extra")->integers, (std::vector<std::int64_t>{1, -2}));
  EXPECT_EQ(model.graph.inputs[0].shape, (std::vector<std::int64_t>{-1, 3}));
  EXPECT_EQ(model.graph.inputs[0].symbols[0], "batch");
  EXPECT_EQ(model.graph.initializers[0].shape, (std::vector<std::int64_t>{3, 2}));
}

TEST(ParseModel, NamesAreUtf8) {
  Model model = small_model();
  model.graph.nodes[0].name = "couche_\xC3\xA9";
  EXPECT_EQ(parse_model(Bytes::own(model_bytes(model))).graph.nodes[0].name, "couche_\xC3\xA9");
  model.graph.nodes[0].name = "couche_\xE9";
  EXPECT_THAT([&] { parse_model(Bytes::own(model_bytes(model))); },
              ThrowsMessage<std::runtime_error>("[onnx] damaged: a name is not UTF-8"));
  model.graph.nodes[0].name = "fc";
  model.graph.nodes[0].attributes = {text("bytes", "\xE9")};
  EXPECT_EQ(parse_model(Bytes::own(model_bytes(model))).graph.nodes[0].find("bytes")->text, "\xE9")
      << "no string";
}

// No prefix of a model may crash or hang; nearly all are errors.
TEST(ParseModel, EveryTruncationEndsInAMessage) {
  const std::string bytes = model_bytes(small_model());
  const auto start = std::chrono::steady_clock::now();
  std::size_t errors = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    try {
      parse_model(Bytes::own(bytes.substr(0, length)));
    } catch (const std::runtime_error&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, bytes.size() * 9 / 10);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(ParseModel, EveryChangedByteEndsWell) {
  const std::string bytes = model_bytes(small_model());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      try {
        parse_model(Bytes::own(changed));
      } catch (const std::runtime_error&) {
        continue;
      }
    }
  }
}

TEST(ParseModel, SaysWhatItIsNot) {
  EXPECT_THAT([] { parse_model(Bytes::own("")); }, ThrowsMessage<std::runtime_error>(HasSubstr("no graph")));
  EXPECT_THAT([] { parse_model(Bytes::own("<html></html>")); },
              ThrowsMessage<std::runtime_error>(HasSubstr("not an ONNX model")));
}

TEST(ParseModel, FieldsOfAnotherTypeAreNotMisread) {
  std::string text_for_a_number;
  protozero::pbf_writer(text_for_a_number).add_string(1, "ir_version is a number");
  std::string number_for_a_graph;
  protozero::pbf_writer(number_for_a_graph).add_uint64(7, 1);
  for (const std::string& bytes : {text_for_a_number, number_for_a_graph}) {
    EXPECT_THAT([&] { parse_model(Bytes::own(bytes)); },
                ThrowsMessage<std::runtime_error>(HasSubstr("not an ONNX model, or cut short or damaged")));
  }
}

TEST(ParseModel, SubgraphsNestOnlySoDeep) {
  Graph graph;
  for (int depth = 0; depth < 40; ++depth) {
    Node node = testing_support::node("If", {"c"}, {"y"});
    node.attributes.resize(1);
    node.attributes[0].name = "then_branch";
    node.attributes[0].kind = Attribute::Kind::kGraph;
    node.attributes[0].graph = {graph};
    graph = Graph{"g", {node}, {}, {}, {}};
  }
  Model model = small_model();
  model.graph = graph;
  EXPECT_THAT([&] { parse_model(Bytes::own(model_bytes(model))); },
              ThrowsMessage<std::runtime_error>(HasSubstr("nested")));
}

TEST(LoadModel, NamesTheFile) {
  const TempFolder folder;
  folder.write("broken.onnx", "\x0A\xFF");
  EXPECT_THAT([&] { load_model(folder.file("broken.onnx")); },
              ThrowsMessage<std::runtime_error>(HasSubstr("broken.onnx")));
  EXPECT_THAT([&] { load_model(folder.file("missing.onnx")); },
              ThrowsMessage<std::runtime_error>(HasSubstr("missing.onnx")));
}

TEST(LoadModel, NamesTheFilesOfExternalData) {
  const TempFolder folder;
  folder.write("one.onnx", model_bytes(small_model()));
  EXPECT_TRUE(load_model(folder.file("one.onnx")).files.empty());
  folder.write("two.onnx", model_bytes(small_model(), "weights.bin"));
  folder.write("weights.bin", std::string(8, 'w'));
  EXPECT_THAT(load_model(folder.file("two.onnx")).files, testing::ElementsAre(folder.file("weights.bin")));
}

}  // namespace
}  // namespace atcav::onnx
