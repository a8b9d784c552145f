#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "atcav/config.h"

// The embedded example: a small network whose inner workings are known, and pictures drawn for it. The demo
// writes both as ordinary files and then runs like any other run, so that a user can repeat and change it.
namespace atcav::demo {

// examples/demo/demo.onnx, compiled in by cmake/EmbedFiles.cmake.
extern const std::string_view network;

// Writes folder/demo.onnx, folder/images/<set>/0000.png …, folder/labels.csv (what is true of the pool's
// pictures) and folder/demo.yaml, and returns the configuration in the latter. `seed` draws the pictures and
// seeds the statistics.
//
// Files of an earlier demo are replaced, nothing else is: std::runtime_error names the first file in the way,
// before anything is written. In the way is whatever in images/<set> is not a picture this demo would write
// (by name, and by its PNG header: 48 × 48), a demo.onnx with other bytes, and a demo.yaml or
// labels.csv without the demo's first line.
Config write(const std::string& folder, std::uint64_t seed);

}  // namespace atcav::demo
