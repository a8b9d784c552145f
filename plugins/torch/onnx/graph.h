#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/torch/onnx/tensor.h"

// An ONNX model as plain data, in the words of the format: nodes connected by tensor names.
namespace atcav::onnx {

struct Graph;

// One attribute of a node. `kind` says which field holds the value.
struct Attribute {
  enum class Kind { kNone, kReal, kInteger, kText, kTensor, kGraph, kReals, kIntegers, kTexts, kOther };
  std::string name;
  std::string reference;  // in a function's body: the caller's attribute to take; see Function
  Kind kind = Kind::kNone;
  float real = 0;
  std::int64_t integer = 0;
  std::string text;
  Tensor tensor;
  std::vector<Graph> graph;  // one element; a vector because Graph is not complete here
  std::vector<float> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;
};

// A module of the network that a node was exported from.
struct Scope {
  std::string module;  // as in PyTorch: "layer3.0.conv1"
  std::string type;    // "Conv2d"; empty where the file does not say
};

struct Node {
  std::string name;
  std::string op;                   // "Conv"
  std::string domain;               // "" is ONNX's own
  std::vector<std::string> inputs;  // "" is an optional input left out
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  std::vector<Scope> scopes = {};  // from the metadata, outermost first; see scopes.h

  const Attribute* find(std::string_view attribute) const;
  // "node 'conv1' (Conv)" for messages, with the module where it is known; a node without a name is called by
  // its first output.
  std::string title() const;
};

// A named graph input or output. Unknown sizes are −1 and may carry a symbol ("batch_size").
struct Value {
  std::string name;
  Type type = Type::kUndefined;  // undefined: a sequence without a type, a map
  std::vector<std::int64_t> shape;
  std::vector<std::string> symbols;  // one per size, "" where it is a number
  bool has_shape = false;
  bool is_sequence = false;  // of such tensors
  bool is_optional = false;
};

// Subgraphs in subgraphs, with functions written out.
constexpr int kDeepestGraph = 16;
// "[onnx] subgraphs are nested more than 16 deep"
std::string too_deep();

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<Value> inputs;  // IR 3 lists the weights here too
  std::vector<Value> outputs;
};

// An op made of others. Nodes of its body read the function's inputs by name; an attribute whose `reference`
// is set takes the value that the caller's attribute of that name has, or `defaults`.
struct Function {
  std::string name;
  std::string domain;
  std::vector<std::string> inputs, outputs;
  std::vector<Attribute> defaults;
  std::vector<Node> nodes;
};

struct Model {
  std::int64_t ir_version = 0;
  std::int64_t opset = 0;  // of ONNX's own domain
  std::string producer;
  Graph graph;
  std::vector<Function> functions = {};
  // load_model finds these:
  std::vector<std::string> files = {};  // where external data lie, by name
  std::string hash = {};                // SHA-256 of the bytes that were parsed, external data included
};

}  // namespace atcav::onnx
