#pragma once

#include <map>
#include <string>
#include <vector>

#include "atcav/run/config.h"

// What sizes a network that leaves some open is given.
namespace atcav {

struct ExampleShapes {
  std::vector<std::vector<Index>> by_position;
  std::map<std::string, std::vector<Index>> by_name;
};

// Of one example, for each input: as config.shape says, or as the first array among the examples has it. What
// cannot be read is left for the one who opens it to say.
ExampleShapes example_shapes(const Config& config);

// For cache keys.
std::string shapes_text(const ExampleShapes& shapes);

}  // namespace atcav
