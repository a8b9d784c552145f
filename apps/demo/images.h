#pragma once

#include <cstdint>
#include <vector>

#include "apps/demo/scene.h"
#include "atcav/matrix.h"
#include "atcav/random.h"

// The demo's pictures, drawn by the program: no file is read.
//
//   const MatrixF zebras = images(Set::kZebra, 60, seed);
namespace atcav::demo {

inline constexpr Index kSide = 48;
inline constexpr Index kPixels = kSide * kSide;

// A scene as 3 × 48² values in [0, 1]: one row per channel, pixels row by row. The noise is drawn from
// `stream`.
//
// First the grey picture: background, shape, texture, a little noise. Then each pixel g is tinted:
//   channel_c = g · (1 + saturation · cos(hue − c · 120°)),   c = 0 red, 1 green, 2 blue
// The three cosines sum to zero, so the mean of the channels is g for every hue: a network whose first
// layer takes that mean cannot see colour at all. Greys stay below 1/1.6, so no channel is ever cut off.
MatrixF draw(const Scene& scene, Stream& stream);

// `count` pictures of a set, one per row, each 3 × 48 × 48 as draw() orders it: what the demo's network
// takes.
//
// Picture i depends on (seed, set, i) alone: a longer set begins with the shorter one. Every six pictures in
// a row hold all turns of scene.h, in random order: a fixed order would fall in step with the folds of
// held-out accuracy. So take a multiple of six where textures are to be balanced exactly.
MatrixF images(Set set, Index count, std::uint64_t seed);

// The scenes behind them.
std::vector<Scene> scenes(Set set, Index count, std::uint64_t seed);

// How far the shape, and with it the texture, covers each pixel of picture `position` of the set: 48 × 48
// values from 0 (background) to 1.
MatrixF coverage(Set set, Index position, std::uint64_t seed);

}  // namespace atcav::demo
