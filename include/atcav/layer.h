#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "atcav/matrix.h"

// The tensors of a network at which it can be probed, and the modules that give them.
namespace atcav::model {

struct Layer {
  std::string name;            // of the tensor
  std::string node;            // that makes it
  std::string op;              // "Conv"
  std::string path;            // innermost module of the node: "layer3.0.conv1"; may be empty
  std::vector<Index> shape;    // of one example, without the batch
  Index size = 0;              // d: the product of the shape
  Index pooled_size = 0;       // columns that pooling over positions leaves
  bool channels_first = true;  // channels × positions rather than positions × channels
};

// A module of the network as its author knows it, and the tensor that it gives.
struct Module {
  std::string name;       // "layer3.0.conv1", as in model.named_modules()
  std::string type;       // "Conv2d"; empty where the file does not say
  std::size_t layer = 0;  // position among the layers
  std::string note;       // what a user must know: a BatchNorm folded in, called several times; or empty
};

}  // namespace atcav::model
