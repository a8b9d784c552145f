#pragma once

#include <filesystem>

#include "atcav/nn/onnx/bytes.h"

namespace atcav::onnx {

// The whole file; std::runtime_error naming it when it cannot be read.
Bytes file_bytes(const std::filesystem::path& path);

}  // namespace atcav::onnx
