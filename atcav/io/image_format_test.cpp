#include "atcav/io/image_format.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::nn {
namespace {

TEST(ImageFormat, ReadsTheShapeOfTheInput) {
  const ImageFormat torch = image_format({"x", {-1, 3, 32, 48}, false});
  EXPECT_EQ(torch.height, 32);
  EXPECT_EQ(torch.width, 48);
  const ImageFormat tensorflow = image_format({"x", {-1, 299, 199, 3}, false});
  EXPECT_TRUE(tensorflow.channels_last);
  EXPECT_EQ(tensorflow.height, 299);
  EXPECT_EQ(tensorflow.width, 199);
  EXPECT_EQ(image_format({"x", {-1, 3, -1, -1}, false}).height, 224);
  EXPECT_EQ(image_format({"x", {-1, 3, -1, -1}, false}, {3, 64, 65}).width, 65);
  EXPECT_THROW(image_format({"ids", {-1, 16}, true}), std::invalid_argument);
  EXPECT_THROW(image_format({"x", {-1, 7, 5, 9}, false}), std::invalid_argument);
}

TEST(PreprocessPreset, KnowsItsNames) {
  EXPECT_TRUE(preprocess_preset("caffe").bgr);
  EXPECT_FALSE(preprocess_preset("none").fit);
  EXPECT_DOUBLE_EQ(preprocess_preset("tf").scale * 127.5, 1);
  EXPECT_THROW(preprocess_preset("keras"), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::nn
