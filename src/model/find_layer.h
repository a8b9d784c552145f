#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atcav/model.h"

// From what a user calls a layer to a tensor, without guessing.
namespace atcav::model {

struct FoundLayer {
  std::string name;          // what was asked for; with a pattern, the module that it matched
  std::size_t position = 0;  // in facts.layers
  std::string note;          // of the module
};

// The modules of a path as PyTorch's older exporter writes it, outermost first, in which a part may repeat
// the one before: "/layer3/layer3.0/conv1" → layer3, layer3.0, layer3.0.conv1.
std::vector<std::string> modules_in_path(std::string_view path);

// What `text` means, tried in this order:
//   a module           "layer3", "layer3.0.conv1"; also with slashes, "/layer3/layer3.0/conv1"
//   a tensor           "add_72"
//   a node             "/layer3/layer3.0/conv1/Conv"
//   the end of exactly one module's name, from a dot on: "conv_proj" for "vit.conv_proj"
// std::invalid_argument that lists the candidates where several modules end like that, and the closest names
// where none does.
FoundLayer find_layer(const Facts& facts, std::string_view text);

// The same; and text with * or ? is a pattern: all modules, or else tensors, that it matches, in execution
// order and each tensor once. * and ? stand for anything but a dot, ** for anything.
std::vector<FoundLayer> find_layers(const Facts& facts, std::string_view text);

}  // namespace atcav::model
