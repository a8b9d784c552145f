#pragma once

#include "core/device_pass.h"
#include "plugins/torch/libtorch.h"

// The pass in ATen, for rows on a GPU. It runs on the CPU as well, which is how it is tested where there is
// no GPU; there span's own arithmetic is faster.
namespace atcav::plugin {

struct TorchPassLimits {
  // Gradients beyond this many bytes stay on the host and are copied over again for each block of rows.
  // Unset: half of what the device has free.
  std::optional<std::int64_t> gradient_bytes;
  // Rows are kept for K up to this many bytes. Unset: half of what is free after the gradients.
  std::optional<std::int64_t> row_bytes;
};

// `first`: rows × d on the device, the first rows of the pass.
std::unique_ptr<DevicePass> start_torch_pass(const at::Tensor& first, const DevicePassOptions& options,
                                             const TorchPassLimits& limits = {});

}  // namespace atcav::plugin
