#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "atcav/base/matrix.h"

// Pictures as Pillow's open(…).convert("RGB") gives them, turned the way EXIF says.
//
// JPEG: baseline and progressive, greyscale (three equal channels), CMYK and YCCK (Adobe's inverted ink).
// PNG: every depth and colour type; 16 bits lose their lower 8, alpha is dropped and not blended.
namespace atcav::io {

struct Image {
  Index width = 0;
  Index height = 0;
  std::vector<std::uint8_t> rgb;  // row by row, three bytes per pixel
};

// std::runtime_error naming the file when the bytes are neither JPEG nor PNG, damaged, cut short, or claim
// more than 2^27 pixels.
Image decode_image(std::string_view bytes, std::string_view name);

}  // namespace atcav::io
