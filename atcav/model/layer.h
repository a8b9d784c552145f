#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atcav/base/matrix.h"

// The tensors of a network at which it can be probed, and how users call them.
namespace atcav::model {

struct Layer {
  std::string name;          // of the tensor
  std::string node;          // that makes it
  std::string op;            // "Conv"
  std::string path;          // module path of the node: "layer3/layer3.0/conv1"; may be empty
  std::vector<Index> shape;  // of one example, without the batch
  Index size = 0;            // d: the product of the shape
  Index pooled_size = 0;     // columns that Pool::kMean leaves
};

// Position in `layers` (execution order) of what `text` means, tried in this order:
//   a tensor name            "add_72"
//   a node name              "/layer3/layer3.0/conv1/Conv"
//   a module path, whole or from any of its parts on; the last tensor of the module is meant:
//                            "layer3", "layer3/layer3.0", "layer3.0", "/layer3/"
// std::invalid_argument with the closest names when nothing fits.
std::size_t find_layer(const std::vector<Layer>& layers, std::string_view text);

// "/layer3/layer3.0/conv1/Conv" → "layer3/layer3.0/conv1"; "" when the name has no path.
std::string module_path(std::string_view node);

}  // namespace atcav::model
