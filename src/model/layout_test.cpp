#include "model/layout.h"

#include <gtest/gtest.h>

namespace atcav::model {
namespace {

constexpr Layout kUnknown = Layout::kUnknown;
constexpr Layout kFirst = Layout::kChannelsFirst;
constexpr Layout kLast = Layout::kChannelsLast;

TEST(LayoutAfter, KnowsTheNamesOfOnnxAndOfPyTorch) {
  for (const char* step : {"Conv", "conv1d", "ConvTranspose", "conv_transpose2d", "MaxPool", "max_pool2d",
                           "GlobalAveragePool", "adaptive_avg_pool2d", "BatchNormalization", "batch_norm"}) {
    EXPECT_EQ(layout_after(step, {}), kFirst) << step;
  }
  for (const char* step : {"linear", "LayerNormalization", "layer_norm", "RMSNormalization", "embedding"})
    EXPECT_EQ(layout_after(step, {}), kLast) << step;
}

TEST(LayoutAfter, ElementwiseStepsKeepWhatIsKnownFirst) {
  const std::vector<Layout> inputs = {kUnknown, kLast, kFirst};
  for (const char* step : {"Relu", "relu_", "Add", "__radd__", "Concat", "cat", "Sum", "Identity"})
    EXPECT_EQ(layout_after(step, inputs), kLast) << step;
  for (const char* step : {"Transpose", "permute", "Reshape", "view", "sum", "MatMul", "LinearAttention"})
    EXPECT_EQ(layout_after(step, inputs), kUnknown) << step;
  EXPECT_EQ(layout_after("Relu", {}), kUnknown);
}

TEST(IsChannelsFirst, ImagesAreUnlessMoreIsKnown) {
  EXPECT_FALSE(is_channels_first(kUnknown, 3));
  EXPECT_TRUE(is_channels_first(kUnknown, 4));
  EXPECT_TRUE(is_channels_first(kFirst, 3));
  EXPECT_FALSE(is_channels_first(kLast, 4));
}

TEST(PositionDims, LieBehindOrBeforeTheChannels) {
  EXPECT_EQ(position_dims(2, true), (std::vector<Index>{}));
  EXPECT_EQ(position_dims(3, true), (std::vector<Index>{2}));
  EXPECT_EQ(position_dims(4, true), (std::vector<Index>{2, 3}));
  EXPECT_EQ(position_dims(4, false), (std::vector<Index>{1, 2}));
}

TEST(PooledSize, IsTheChannels) {
  EXPECT_EQ(pooled_size(std::vector<Index>{8, 7, 7}, true), 8);
  EXPECT_EQ(pooled_size(std::vector<Index>{7, 7, 24}, false), 24);
  EXPECT_EQ(pooled_size(std::vector<Index>{16, 24}, true), 16);
  EXPECT_EQ(pooled_size(std::vector<Index>{10}, true), 10);
}

}  // namespace
}  // namespace atcav::model
