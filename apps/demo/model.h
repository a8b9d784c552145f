#pragma once

#include <string_view>

// examples/demo/demo.onnx, compiled in by cmake/EmbedFiles.cmake.
namespace atcav::demo {

extern const std::string_view demo_model;

}  // namespace atcav::demo
