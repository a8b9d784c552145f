#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "plugins/torch/onnx/bytes.h"

// Weights that lie in files beside the model ("external data").
namespace atcav::onnx {

// What a tensor says about where its bytes are. length < 0: to the end of the file.
struct ExternalLocation {
  std::string file;
  std::int64_t offset = 0;
  std::int64_t length = -1;
};

// Gives the bytes of a location or throws std::runtime_error.
using ExternalData = std::function<Bytes(const ExternalLocation&)>;

// Reads from files under `folder` and nowhere else: absolute paths, "..", and links that lead out are
// refused, and so are ranges beyond the file's end. Each file is read once, and kept while in use.
ExternalData external_data_in(const std::filesystem::path& folder);

// For models that came from memory: every location is refused.
ExternalData no_external_data();

}  // namespace atcav::onnx
