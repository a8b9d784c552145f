#pragma once

#include "pass/backend.h"
#include "plugins/torch/libtorch.h"

// The pass in ATen, for rows on a GPU. It runs on the CPU as well, which is how it is tested where there is
// no GPU; there atcav's own arithmetic is faster (pass/cpu_backend.h).
namespace atcav::plugin {

struct TorchBackendLimits {
  // Gradients beyond this many bytes stay on the host and are copied over again for each block of rows.
  // Unset: half of what the device has free.
  std::optional<std::int64_t> gradient_bytes;
  // Rows are kept for K on the device up to this many bytes, else on the host. Unset: half of what is free
  // after the gradients.
  std::optional<std::int64_t> row_bytes;
  // Products that exist at once: few launches of many pieces keep a device busy.
  Index products = Index{1} << 26;
};

// `first`: rows × d on the device, the first rows of the pass.
std::shared_ptr<pass::PassBackend> start_torch_backend(const at::Tensor& first,
                                                       const pass::BackendOptions& options,
                                                       const TorchBackendLimits& limits = {});

}  // namespace atcav::plugin
