// Decoding and preprocessing against Pillow, which is what torchvision uses; skipped where it is not
// installed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "atcav/io/open_array.h"
#include "atcav/model/inputs.h"
#include "tests/support/temp_folder.h"

namespace atcav::nn {
namespace {

// Smooth colours with texture and noise, in every kind of file; then what torchvision's Resize(256) and
// CenterCrop(224) make of each, written as N×3×224×224 in name order.
constexpr const char* kScript = R"(
import os
import numpy as np
from PIL import Image, ImageOps
rng = np.random.default_rng(0)
def picture(width, height):
    y, x = np.mgrid[0:height, 0:width]
    planes = [128 + 100 * np.sin(x / (5 + 9 * c) + c) * np.cos(y / (7 + 5 * c)) + rng.normal(0, 8, x.shape) for c in range(3)]
    return Image.fromarray(np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8))
os.makedirs('images')
wide, tall, small = picture(640, 427), picture(333, 500), picture(150, 190)
wide.save('images/a_baseline.jpg', quality=92)
tall.save('images/b_progressive.jpg', quality=85, progressive=True)
tall.convert('L').save('images/c_grey.jpg')
wide.convert('CMYK').save('images/d_ink.jpg', quality=95)
exif = Image.Exif(); exif[0x0112] = 6
wide.save('images/e_turned.jpg', exif=exif, quality=92)
tall.save('images/f.png')
rgba = tall.convert('RGBA'); rgba.putalpha(Image.fromarray(rng.integers(0, 255, (500, 333), dtype=np.uint8))); rgba.save('images/g_alpha.png')
wide.quantize(64).save('images/h_palette.png')
small.save('images/i_small.png')
small.save('images/j_subsampled.jpg', subsampling=2, quality=70)
def resized(image):
    w, h = image.size
    w, h = (256, int(256 * h / w)) if w <= h else (int(256 * w / h), 256)
    image = image.resize((w, h), Image.BILINEAR)
    left, top = int(round((w - 224) / 2.0)), int(round((h - 224) / 2.0))
    return image.crop((left, top, left + 224, top + 224))
rows = []
for name in sorted(os.listdir('images')):
    image = ImageOps.exif_transpose(Image.open('images/' + name)).convert('RGB')
    rows.append(np.asarray(resized(image), dtype=np.float32).transpose(2, 0, 1))
np.save('expected.npy', np.stack(rows))
)";

TEST(Pillow, FoldersOfEveryKindOfImageAgree) {
  const testing_support::TempFolder folder;
  folder.write("script.py", kScript);
  const std::string in_folder = "cd '" + folder.path() + "' && /usr/bin/python3 ";
  if (std::system((in_folder + "-c 'import numpy, PIL.Image' 2> /dev/null").c_str()) != 0)
    GTEST_SKIP() << "no python3-pil";
  ASSERT_EQ(std::system((in_folder + "script.py").c_str()), 0);
  const MatrixF expected = io::open_array(folder.file("expected.npy")).read_float();
  InputOptions options;
  options.preprocess.resize = 256;
  options.preprocess.crop = 224;
  Inputs inputs = Inputs::open(folder.file("images"), {{"x", {-1, 3, 224, 224}, false}}, options);
  ASSERT_EQ(inputs.rows(), expected.rows());
  for (Index i = 0; i < inputs.rows(); ++i) {
    const auto batch = inputs.read(i, 1);
    const Eigen::Map<const MatrixF> got(batch[0].reals.data(), 1, expected.cols());
    // In pixel values 0 … 255: less than 1 is the 1/255 that is asked for.
    EXPECT_LT((got - expected.row(i)).cwiseAbs().mean(), 0.5) << inputs.name(i);
    EXPECT_LE((got - expected.row(i)).cwiseAbs().maxCoeff(), 2) << inputs.name(i);
  }
}

}  // namespace
}  // namespace atcav::nn
