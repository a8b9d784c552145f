#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "atcav/matrix.h"

// Pictures as Pillow's open(…).convert("RGB") gives them, turned the way EXIF says.
//
// JPEG: baseline and progressive, greyscale (three equal channels), CMYK and YCCK (Adobe's inverted ink).
// PNG: every depth and colour type; 16 bits lose their lower 8, alpha is dropped and not blended.
namespace atcav::data {

struct Image {
  Index width = 0;
  Index height = 0;
  std::vector<std::uint8_t> rgb;    // row by row, three bytes per pixel
  std::shared_ptr<void> room = {};  // its part of the budget, given back with it
};

// std::runtime_error naming the file when the bytes are neither JPEG nor PNG, damaged, cut short, or claim
// more than 2^27 pixels, or when decoding takes more bytes than `budget`. Threads that decode at the same
// time share half of it: one waits while pictures that others hold leave too little.
Image decode_image(std::string_view bytes, std::string_view name, double budget = HUGE_VAL);

}  // namespace atcav::data
