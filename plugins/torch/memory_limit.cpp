#include "plugins/torch/memory_limit.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <malloc.h>
#include <torch/version.h>

#include <atomic>
#include <cstring>

#include "core/memory.h"

namespace atcav::plugin {
namespace {

std::atomic<double> tensor_limit;
std::atomic<std::size_t> tensor_bytes;

void release(void* data) {
  if (data == nullptr) return;
  tensor_bytes -= malloc_usable_size(data);
  c10::free_cpu(data);
}

// LibTorch's own way to allocate, with a look at the sum first.
c10::DataPtr allocate_counted(std::size_t bytes) {
  const auto needed = static_cast<double>(tensor_bytes + bytes);
  check_memory("network", "running this network", needed, tensor_limit);
  void* data = c10::alloc_cpu(bytes);
  if (data != nullptr) tensor_bytes += malloc_usable_size(data);
  return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
}

struct CountingAllocator final : c10::Allocator {
#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(std::size_t bytes) override { return allocate_counted(bytes); }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    std::memcpy(to, from, count);
  }
#else
  c10::DataPtr allocate(std::size_t bytes) const override { return allocate_counted(bytes); }
#endif
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

}  // namespace

void limit_tensor_memory(double bytes) {
  tensor_limit = bytes;
  static CountingAllocator counting;
  c10::SetCPUAllocator(&counting, /*priority=*/1);
}

}  // namespace atcav::plugin
