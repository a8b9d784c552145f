#pragma once

#include <cstdint>
#include <vector>

#include "apps/demo/drawing.h"

// The demo's pictures, drawn by the program: no file is read.
//
//   const MatrixF zebras = demo_images(DemoSet::kZebra, 60, seed);
//
// Picture i of a set depends on (seed, set, i) alone: a longer set begins with the shorter one. Every six
// pictures in a row hold all turns of demo_scene.h, in random order: a fixed order would fall in step with
// the folds of held-out accuracy. So take a multiple of six where textures are to be balanced exactly.
namespace atcav::demo {

// Of one picture: 3 × 48 × 48, RGB in [0, 1], what the demo's network takes.
std::vector<Index> demo_image_shape();

// One picture a row, in the order of demo_image_shape().
MatrixF demo_images(DemoSet set, Index count, std::uint64_t seed);

}  // namespace atcav::demo
