#pragma once

#include <CLI/CLI.hpp>

namespace atcav::cli {

// atcav layers MODEL.onnx: what can be named with --layer.
void add_layers_command(CLI::App& app);

}  // namespace atcav::cli
