#pragma once

#include "plugins/torch/libtorch.h"

namespace atcav::plugin {

// Bytes of the device that nobody uses, what LibTorch has reserved and not given out included. Empty for the
// CPU and for LibTorch before 2.10, which does not say; then trying is the only way to know.
std::optional<std::int64_t> free_device_memory(const at::Device& device);

}  // namespace atcav::plugin
