#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "atcav/preprocess.h"
#include "data/image/image.h"

// The steps of atcav/preprocess.h, done:
//
//   const Preprocess how = preprocess_preset(PreprocessPreset::kTorchvision);
//   std::vector<float> input = preprocess(image, how, {}, "zebra.jpg");
namespace atcav::data {

// All steps but the last: height × width × channels of the network's size, in its channel order. `name` is
// for the message of the std::runtime_error when the size does not fit.
std::vector<std::uint8_t> preprocess_pixels(const Image& image, const Preprocess& how,
                                            const ImageFormat& format, std::string_view name);

std::vector<float> preprocess(const Image& image, const Preprocess& how, const ImageFormat& format,
                              std::string_view name);

}  // namespace atcav::data
