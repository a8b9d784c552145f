#pragma once

#include "tests/support/onnx_model.h"

// Small networks that run, with what graphs are made of: weights, branches, loops, functions, sequences.
namespace atcav::fuzz {

using namespace testing_support;  // NOLINT: as in the tests of the ops

inline onnx::Attribute subgraph(std::string name, std::vector<onnx::Node> nodes,
                                const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
  onnx::Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = onnx::Attribute::Kind::kGraph;
  onnx::Graph graph{"body", std::move(nodes), {}, {}, {}};
  for (const std::string& input : inputs) graph.inputs.push_back(value(input, {}));
  for (const std::string& output : outputs) graph.outputs.push_back(value(output, {}));
  attribute.graph = {graph};
  return attribute;
}

inline onnx::Node call(std::string function, std::vector<std::string> inputs,
                       std::vector<std::string> outputs, std::string name = "") {
  onnx::Node made = node(std::move(function), std::move(inputs), std::move(outputs), {}, std::move(name));
  made.domain = "own";
  return made;
}

inline onnx::Model convolutions() {
  return onnx_model(
      {value("x", {1, 3, 6, 6})},
      {noise("w", {4, 3, 3, 3}), noise("s", {4}, 1), noise("b", {4}, 2), noise("m", {4}, 3),
       floats("v", {4}, {1, 2, 3, 4}), noise("fc", {5, 4}, 4), noise("fb", {5}, 5)},
      {node("Conv", {"x", "w"}, {"c"}, {integers("pads", {1, 1, 1, 1})}, "/block/conv/Conv"),
       node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"n"}, {}, "/block/bn/BatchNormalization"),
       node("Relu", {"n"}, {"r"}, {}, "/block/relu/Relu"), node("Add", {"r", "c"}, {"a"}),
       node("MaxPool", {"a"}, {"p"}, {integers("kernel_shape", {2, 2})}),
       node("GlobalAveragePool", {"p"}, {"g"}), node("Flatten", {"g"}, {"f"}),
       node("Gemm", {"f", "fc", "fb"}, {"l"}, {integer("transB", 1)}), node("Softmax", {"l"}, {"y"})},
      {value("y", {1, 5})});
}

inline onnx::Model quantised() {
  return onnx_model({value("x", {1, 4})},
                    {floats("q", {}, {0.1F}), noise("w", {4, 3}), noise("s", {3}, 1), noise("b", {3}, 2)},
                    {node("QuantizeLinear", {"x", "q"}, {"i"}), node("DequantizeLinear", {"i", "q"}, {"d"}),
                     node("MatMul", {"d", "w"}, {"h"}), node("LayerNormalization", {"h", "s", "b"}, {"n"}),
                     node("Dropout", {"n"}, {"o", "mask"}), node("Identity", {"o"}, {"y"})},
                    {value("y", {1, 3})});
}

inline onnx::Model branches() {
  return onnx_model(
      {value("x", {1, 4})}, {floats("zero", {}, {0})},
      {node("Relu", {"x"}, {"h"}), node("ReduceSum", {"h"}, {"total"}, {integer("keepdims", 0)}),
       node("Greater", {"total", "zero"}, {"positive"}),
       node("If", {"positive"}, {"y"},
            {subgraph("then_branch", {node("Tanh", {"h"}, {"a"})}, {}, {"a"}),
             subgraph("else_branch", {node("Neg", {"h"}, {"b"})}, {}, {"b"})})},
      {value("y", {1, 4})});
}

inline onnx::Model loops() {
  const onnx::Attribute inner =
      subgraph("body", {node("Identity", {"go2"}, {"on2"}), node("Add", {"g", "h"}, {"g2"})},
               {"j", "go2", "g"}, {"on2", "g2"});
  return onnx_model(
      {value("x", {1, 4})}, {longs("n", {}, {3}), floats("two", {}, {2})},
      {node("Relu", {"x"}, {"r"}),
       node("Loop", {"n", "", "r"}, {"last", "seen"},
            {subgraph("body",
                      {node("Identity", {"go"}, {"on"}), node("Mul", {"h", "two"}, {"d"}),
                       node("Loop", {"n", "", "d"}, {"e"}, {inner}), node("Identity", {"h"}, {"kept"})},
                      {"i", "go", "h"}, {"on", "e", "kept"})}),
       node("ReduceSum", {"seen", "first"}, {"sum"}, {integer("keepdims", 0)}),
       node("Add", {"last", "sum"}, {"y"}), node("Constant", {}, {"first"}, {integers("value_ints", {0})})},
      {value("y", {1, 4})});
}

inline onnx::Model scans() {
  return onnx_model(
      {value("x", {1, 3, 2})}, {floats("zero", {1, 2}, {0, 0})},
      {node("Scan", {"zero", "x"}, {"total", "seen"},
            {integer("num_scan_inputs", 1), integers("scan_input_axes", {1}),
             integers("scan_output_axes", {1}),
             subgraph("body", {node("Add", {"sum", "next"}, {"sum2"}), node("Identity", {"sum2"}, {"out"})},
                      {"sum", "next"}, {"sum2", "out"})}),
       node("Flatten", {"seen"}, {"y"})},
      {value("y", {1, 6})});
}

inline onnx::Model functions() {
  onnx::Model model =
      onnx_model({value("x", {1, 4})}, {noise("w", {4, 4})},
                 {call("block", {"x", "w"}, {"h"}, "/first/block"),
                  call("block", {"h", "w"}, {"g"}, "/second/block"), call("same", {"g"}, {"y"})},
                 {value("y", {1, 4})});
  onnx::Attribute slope = real("alpha", 0);
  slope.reference = "slope";
  model.functions = {
      {"act", "own", {"a"}, {"b"}, {real("slope", 0.5F)}, {node("LeakyRelu", {"a"}, {"b"}, {slope})}},
      {"block", "own", {"a", "m"}, {"b"}, {}, {node("MatMul", {"a", "m"}, {"p"}), call("act", {"p"}, {"b"})}},
      {"same", "own", {"a"}, {"a"}, {}, {}}};
  return model;
}

inline onnx::Model sequences() {
  return onnx_model({value("x", {1, 4})}, {longs("zero", {}, {0})},
                    {node("Neg", {"x"}, {"m"}), node("SequenceConstruct", {"x", "m"}, {"s"}),
                     node("SequenceInsert", {"s", "m", "zero"}, {"t"}), node("SequenceErase", {"t"}, {"u"}),
                     node("ConcatFromSequence", {"u"}, {"y"}, {integer("axis", 1)})},
                    {value("y", {1, 8})});
}

inline onnx::Model recurrent() {
  return onnx_model({value("x", {3, 1, 4})}, {noise("w", {1, 8, 4}), noise("r", {1, 8, 2}, 1)},
                    {node("LSTM", {"x", "w", "r"}, {"all", "", "cell"}, {integer("hidden_size", 2)}),
                     node("Squeeze", {"all"}, {"q"}), node("Reshape", {"q", "shape"}, {"y"}),
                     node("Constant", {}, {"shape"}, {integers("value_ints", {1, -1})})},
                    {value("y", {1, 6})});
}

inline std::vector<onnx::Model> whole_graphs() {
  return {convolutions(), quantised(), branches(), loops(), scans(), functions(), sequences(), recurrent()};
}

}  // namespace atcav::fuzz
