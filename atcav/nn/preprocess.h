#pragma once

#include <string_view>
#include <vector>

#include "atcav/io/image.h"
#include "atcav/nn/image_format.h"

// From pixels (0 … 255, RGB) to what a network was trained on:
//   resize and crop → channel order → (pixel · scale − mean) / std
//
//   const Preprocess how = preprocess_preset("torchvision");
//   std::vector<float> input = preprocess(image, how, image_format(model.inputs()[0]), "zebra.jpg");
namespace atcav::nn {

// `name` is for the message of the std::runtime_error when the size does not fit.
std::vector<float> preprocess(const io::Image& image, const Preprocess& how, const ImageFormat& format,
                              std::string_view name);

}  // namespace atcav::nn
