#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/erase_onnx.h"
#include "plugins/torch/onnx/graph.h"

// The nodes of model::LayerEraser: h − Reshape((Pooled(h) · readersᵀ − offset) · δ), in ops that every
// runtime has. Weights are Constant nodes, so that old files, whose weights are inputs, need nothing else.
namespace atcav::onnx {

struct LayerPlace {
  std::vector<std::int64_t> shape;  // the examples first, whose number does not matter
  std::vector<Index> positions;     // dimensions that pooling takes away
  std::int64_t opset = 0;
  std::optional<Type> type = Type::kFloat32;  // of the tensor; none: not known
};

// They read `stem`/before and make eraser.tensor; what is between is called `stem`/….
std::vector<Node> eraser_nodes(const model::LayerEraser& eraser, const LayerPlace& place,
                               const std::string& stem);

}  // namespace atcav::onnx
