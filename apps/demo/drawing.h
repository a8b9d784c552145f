#pragma once

#include "atcav/base/matrix.h"
#include "atcav/base/random.h"
#include "apps/demo/scene.h"

// From a scene to pixels.
//
// First the grey picture: background, shape, texture, a little noise. Then each pixel g is tinted:
//   channel_c = g · (1 + saturation · cos(hue − c · 120°)),   c = 0 red, 1 green, 2 blue
// The three cosines sum to zero, so the mean of the channels is g for every hue: a network whose first
// layer takes that mean cannot see colour at all. Greys stay below 1/1.6, so no channel is ever cut off.
namespace atcav::demo {

inline constexpr Index kDemoSide = 48;
inline constexpr Index kDemoPixels = kDemoSide * kDemoSide;

// 3 × 48² values in [0, 1]: a row for each channel, pixels row by row. The noise is drawn from `stream`.
MatrixF draw(const DemoScene& scene, Stream& stream);

}  // namespace atcav::demo
