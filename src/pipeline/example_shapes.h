#pragma once

#include <map>
#include <string>
#include <vector>

#include "atcav/config.h"

// The sizes that a network which leaves some open is opened with.
namespace atcav {

struct ExampleShapes {
  std::vector<std::vector<Index>> by_position;
  std::map<std::string, std::vector<Index>> by_name;
};

// Of one example, for each input: config.shape, or the shape of the first array among the examples. An array
// that cannot be read gives none; opening the set says why.
ExampleShapes example_shapes(const Config& config);

// For cache keys.
std::string shapes_text(const ExampleShapes& shapes);

}  // namespace atcav
