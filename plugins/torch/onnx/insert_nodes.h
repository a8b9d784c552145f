#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugins/torch/onnx/graph.h"

// A file with nodes inserted behind a tensor. Only two places change: the node that made the tensor gives
// `before` instead and is followed by `nodes`, the last of which makes the tensor; and the metadata have an
// entry more, at the very beginning. The nodes belong to the module of the node before them, so that a module
// which gave the tensor still does. So every reader of the tensor, subgraphs and the graph's outputs among
// them, reads what the nodes made of it, and all other bytes are copied, unknown fields too.
namespace atcav::onnx {

struct Insertion {
  std::string tensor;
  std::string before;
  std::vector<Node> nodes;  // attributes: integers, texts and tensors
  std::string key, note;    // of the metadata; an entry of that key gets "; " and the note behind it
};

// std::invalid_argument where no outer node makes the tensor; std::runtime_error for a damaged file, and
// beyond 2 GiB, which protobuf does not have.
std::string insert_nodes(std::string_view file, const Insertion& insertion);

}  // namespace atcav::onnx
