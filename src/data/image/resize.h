#pragma once

#include "data/image/image.h"

// Pillow's image.resize((width, height), Image.BILINEAR), bit for bit.
//
// The filter is a triangle, as wide as an output pixel when the image shrinks (antialiasing) and as wide as
// an input pixel when it grows. Along an axis of n pixels that becomes m, with s = n/m and r = max(s, 1),
//   out[i] = Σⱼ wᵢⱼ in[j],   wᵢⱼ ∝ max(0, 1 − |j + ½ − (i + ½)·s| / r),   Σⱼ wᵢⱼ = 1
// over the pixels that the image has. Weights are rounded to 22 fractional bits and each sum to a whole
// number in 0 … 255, first along rows and then, from those rounded values, along columns.
//
//   Image half = resize(image, image.width / 2, image.height / 2);
//   Image middle = resize(image, 768'000, 256, {383'888, 16, 224, 224});   // 150 kB, not 590 MB
namespace atcav::data {

// A part of the result; it must lie inside.
struct Window {
  Index left = 0, top = 0, width = 0, height = 0;
};

Image resize(const Image& image, Index width, Index height);
// The same pixels, in time and memory that the window needs.
Image resize(const Image& image, Index width, Index height, const Window& window);

}  // namespace atcav::data
