#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/model.h"

// A network's file with concepts taken out of a layer: standard nodes behind the tensor compute
//   h − Σᵢ δᵢ cᵢ,   c = readers · pooled(h) − offset        (src/stats/erasure.h)
// and whatever read the tensor reads that. All other bytes of the file stay. With pool `mean` every position
// moves alike, so that the mean over positions is erased; with a token that token moves.
namespace atcav::model {

struct LayerEraser {
  std::string tensor;
  Pool pool;
  MatrixF directions;  // δ, k × the columns that pooling leaves
  MatrixF readers;     // as many
  Eigen::VectorXf offset;
  std::string note;  // kept in the file's metadata under kRepairMark
};

inline constexpr const char* kRepairMark = "atcav repair";  // in the first bytes of such a file

struct ErasedOnnx {
  std::string file;                    // its bytes
  std::unique_ptr<Model> network;      // opened from them
  std::vector<std::string> ways_past;  // inputs that reach the logits past the tensor too, masks left out
};

// External data stay where they are, so the new file belongs into the old one's folder.
// std::invalid_argument where the layer or the pool cannot be written as such nodes: tensors of functions and
// loops, examples not first, opset below 7 (below 10 for a token), pool max, pools that follow a mask.
ErasedOnnx erase_in_onnx(const std::string& path, const OpenOptions& options, const LayerEraser& eraser);

}  // namespace atcav::model
