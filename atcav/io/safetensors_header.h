#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/io/dtype.h"
#include "atcav/io/shape.h"

// The JSON header of a .safetensors file (safetensors.h), checked for everything that can be checked
// without the data: each tensor's end - begin is what its shape and dtype need.
namespace atcav::io {

struct SafetensorsEntry {
  std::string name;
  Dtype dtype = Dtype::kF32;
  Shape shape;
  std::size_t begin = 0, end = 0;  // in bytes from the end of the header
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // sorted by name
  std::map<std::string, std::string> metadata;
};

// Throws std::runtime_error "[read_safetensors] file: …".
SafetensorsHeader parse_safetensors_header(std::string_view text, std::string_view file);

}  // namespace atcav::io
