#include "plugins/torch/device_memory.h"

#include <torch/version.h>
#define ATCAV_TELLS_MEMORY (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR >= 210)
#if ATCAV_TELLS_MEMORY
#include <c10/core/CachingDeviceAllocator.h>
#endif

namespace atcav::plugin {

std::optional<std::int64_t> free_device_memory(const at::Device& device) {
#if ATCAV_TELLS_MEMORY
  if (!device.is_cuda()) return std::nullopt;
  const auto index = static_cast<c10::DeviceIndex>(device.has_index() ? device.index() : 0);
  c10::DeviceAllocator* allocator = c10::getDeviceAllocator(at::kCUDA);
  const auto stats = allocator->getDeviceStats(index);
  const auto idle = stats.reserved_bytes[0].current - stats.allocated_bytes[0].current;
  return static_cast<std::int64_t>(allocator->getMemoryInfo(index).first) + idle;
#else
  (void)device;
  return std::nullopt;
#endif
}

}  // namespace atcav::plugin
