#include "plugins/torch/onnx/budget.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace atcav::onnx {
namespace {

using testing::ThrowsMessage;

TEST(Budget, EndsAfterItsLastShare) {
  Budget budget;
  budget.take_nodes(Budget::kMostNodes - 1);
  budget.take_nodes(1);
  EXPECT_THAT([&] { budget.take_nodes(1); },
              ThrowsMessage<std::runtime_error>(
                  "[onnx] the number of nodes with all functions written out is above 250000"));
  budget.take_steps(Budget::kMostSteps);  // one does not take from another
  EXPECT_THROW(budget.take_bytes(static_cast<std::size_t>(-1)), std::runtime_error);
}

}  // namespace
}  // namespace atcav::onnx
