#include "apps/demo/images.h"

#include "atcav/base/check.h"
#include "atcav/base/parallel.h"

namespace atcav::demo {

namespace {

constexpr std::uint64_t kTurnKey = 1;

Index turn(DemoSet set, Index position, std::uint64_t seed) {
  const auto block = static_cast<std::uint64_t>(position / kDemoTurns);
  Stream stream(seed, {kTaskDemo, key_word(name(set)), block, kTurnKey});
  return stream.permutation(kDemoTurns)[position % kDemoTurns];
}

}  // namespace

std::vector<Index> demo_image_shape() { return {3, kDemoSide, kDemoSide}; }

MatrixF demo_images(DemoSet set, Index count, std::uint64_t seed) {
  check_at_least("demo_images", "count", count, 0);
  MatrixF images(count, 3 * kDemoPixels);
  parallel_for(count, 0, [&](Index i) {
    Stream stream(seed, {kTaskDemo, key_word(name(set)), static_cast<std::uint64_t>(i)});
    const DemoScene scene = demo_scene(set, turn(set, i, seed), stream);
    images.row(i) = draw(scene, stream).reshaped<Eigen::RowMajor>().transpose();
  });
  return images;
}

}  // namespace atcav::demo
