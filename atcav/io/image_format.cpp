#include "atcav/io/image_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "atcav/base/check.h"

namespace atcav::nn {

Preprocess preprocess_preset(std::string_view name) {
  Preprocess preset;
  if (name == "torchvision") {
    preset.scale = 1.0 / 255;
    preset.mean = {0.485, 0.456, 0.406};
    preset.std = {0.229, 0.224, 0.225};
  } else if (name == "caffe") {
    preset.mean = {104, 117, 123};
    preset.bgr = true;
  } else if (name == "tf") {
    preset.scale = 1 / 127.5;
    preset.mean = {1, 1, 1};
  } else if (name == "none") {
    preset.fit = false;
  } else {
    fail_argument("preprocess_preset",
                  fmt::format("name is '{}', must be torchvision, caffe, tf or none", std::string(name)));
  }
  return preset;
}

ImageFormat image_format(const InputInfo& input, const std::vector<Index>& example) {
  if (input.shape.size() != 4 || input.is_integer) {
    fail_argument("image_format", fmt::format("input '{}' does not take images", input.name));
  }
  std::vector<Index> shape(input.shape.begin() + 1, input.shape.end());
  if (example.size() == 3) shape = example;
  ImageFormat format;
  const auto is_colour = [](Index size) { return size == 1 || size == 3; };
  format.channels_last = !is_colour(shape[0]) && is_colour(shape[2]);
  if (format.channels_last) std::rotate(shape.begin(), shape.begin() + 2, shape.end());
  if (shape[0] > 0 && !is_colour(shape[0])) {
    fail_argument("image_format",
                  fmt::format("input '{}' has {} channels, images have 1 or 3", input.name, shape[0]));
  }
  format.channels = shape[0] > 0 ? shape[0] : 3;
  format.height = shape[1] > 0 ? shape[1] : 224;
  format.width = shape[2] > 0 ? shape[2] : 224;
  return format;
}

}  // namespace atcav::nn
