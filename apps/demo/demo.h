#pragma once

#include <cstdint>
#include <string>

#include "atcav/run/config.h"

// The embedded example: a small network whose inner workings are known, and pictures drawn for it. The demo
// writes both as ordinary files and then runs like any other run, so that a user can repeat and change it.
namespace atcav::demo {

// Writes folder/demo.onnx, folder/images/<set>/0000.png … and folder/demo.yaml, and returns the
// configuration in the latter. `seed` draws the pictures and seeds the statistics.
Config write_demo(const std::string& folder, std::uint64_t seed);

}  // namespace atcav::demo
