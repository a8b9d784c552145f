#include "atcav/experiment/demo_images.h"

#include "atcav/base/check.h"
#include "atcav/base/parallel.h"

namespace atcav::experiment {

std::vector<Index> demo_image_shape() { return {3, kDemoSide, kDemoSide}; }

MatrixF demo_images(DemoSet set, Index count, std::uint64_t seed) {
  check_at_least("demo_images", "count", count, 0);
  MatrixF images(count, 3 * kDemoPixels);
  parallel_for(count, 0, [&](Index i) {
    Stream stream(seed, {kTaskDemo, key_word(name(set)), static_cast<std::uint64_t>(i)});
    const DemoScene scene = demo_scene(set, i, stream);
    images.row(i) = draw(scene, stream).reshaped<Eigen::RowMajor>().transpose();
  });
  return images;
}

}  // namespace atcav::experiment
