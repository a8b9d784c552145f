#include "plugins/torch/memory_limit.h"

#include <gmock/gmock.h>

#include "plugins/torch/libtorch.h"

namespace atcav::plugin {
namespace {

TEST(MemoryLimit, TheTensorThatIsOneTooManyIsNotAllocated) {
  limit_tensor_memory(1e6);
  {
    const at::Tensor most = at::zeros({200'000});
    EXPECT_THAT([] { at::zeros({200'000}); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::HasSubstr("[network] running this network needs 0.0016 GB, the memory budget is "
                                       "0.001 GB (--memory)")));
  }
  EXPECT_EQ(at::zeros({200'000}).sum().item<float>(), 0);  // the first was given back
  limit_tensor_memory(1e12);
}

}  // namespace
}  // namespace atcav::plugin
