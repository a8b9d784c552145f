// Decoding and preprocessing against Pillow, which is what torchvision uses: no value may differ. Skipped
// where Pillow is not installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "data/array/open_array.h"
#include "data/image/preprocess.h"
#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

// Smooth colours with texture and noise in 200 files of odd sizes, some larger and some smaller than 256,
// some much longer than wide; every kind of JPEG and PNG. For each the pixels Pillow decodes, one after the
// other, and what torchvision's Resize(256) and CenterCrop(224) make of them. The normalisation of
// torchvision is a table: channel × pixel value, in float32.
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
for i in range(200):
    if i % 4 == 0: size = rng.integers(257, 520, 2)          # down
    elif i % 4 == 1: size = rng.integers(2, 256, 2)          # up
    elif i % 4 == 2: size = rng.integers(100, 400, 2)
    else: size = rng.permutation([rng.integers(1, 40), rng.integers(200, 900)])
    image = picture(*(int(s) | 1 for s in size))
    name = f'images/{i:03}'
    kind = i // 4 % 10
    if kind == 0: image.save(name + '.jpg', quality=92)
    elif kind == 1: image.save(name + '.jpg', quality=85, progressive=True)
    elif kind == 2: image.convert('L').save(name + '.jpg')
    elif kind == 3: image.convert('CMYK').save(name + '.jpg', quality=95)
    elif kind == 4:
        exif = Image.Exif(); exif[0x0112] = 1 + i % 4 + i // 40 % 2 * 4  # all eight
        image.save(name + '.jpg', exif=exif, quality=92)
    elif kind == 5: image.save(name + '.jpg', subsampling=2, quality=70)
    elif kind == 6: image.save(name + '.png')
    elif kind == 7:
        image = image.convert('RGBA')
        image.putalpha(Image.fromarray(rng.integers(0, 255, image.size[::-1], dtype=np.uint8)))
        image.save(name + '.png')
    elif kind == 8: image.quantize(64).save(name + '.png')
    else: image.convert('L').save(name + '.png')
def resized(image):
    w, h = image.size
    w, h = (256, int(256 * h / w)) if w <= h else (int(256 * w / h), 256)
    image = image.resize((w, h), Image.BILINEAR)
    left, top = int(round((w - 224) / 2.0)), int(round((h - 224) / 2.0))
    return image.crop((left, top, left + 224, top + 224))
decoded, rows = [], []
for name in sorted(os.listdir('images')):
    image = ImageOps.exif_transpose(Image.open('images/' + name)).convert('RGB')
    decoded.append(np.asarray(image).ravel())
    rows.append(np.asarray(resized(image)).transpose(2, 0, 1))
np.save('decoded.npy', np.concatenate(decoded))
np.save('expected.npy', np.stack(rows))
mean, std = np.float32([0.485, 0.456, 0.406])[:, None], np.float32([0.229, 0.224, 0.225])[:, None]
np.save('table.npy', (np.arange(256, dtype=np.float32) * np.float32(1 / 255) - mean) / std)
)";

TEST(Pillow, NoValueOf200ImagesDiffers) {
  const testing_support::TempFolder folder;
  folder.write("script.py", kScript);
  const std::string in_folder = "cd '" + folder.path() + "' && /usr/bin/python3 ";
  if (std::system((in_folder + "-c 'import numpy, PIL.Image' 2> /dev/null").c_str()) != 0)
    GTEST_SKIP() << "no python3-pil";
  ASSERT_EQ(std::system((in_folder + "script.py").c_str()), 0);
  const std::vector<std::int64_t> decoded = open_array(folder.file("decoded.npy")).read_int64();
  const MatrixF expected = open_array(folder.file("expected.npy")).read_float();
  const MatrixF table = open_array(folder.file("table.npy")).read_float();
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("images")))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_EQ(files.size(), 200U);

  const Preprocess torchvision = preprocess_preset(PreprocessPreset::kTorchvision);
  auto pixel = decoded.begin();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Image image = decode_image(read_file(files[i]), files[i]);
    const auto size = static_cast<std::ptrdiff_t>(image.rgb.size());
    ASSERT_LE(size, decoded.end() - pixel) << files[i];
    EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), pixel)) << files[i];
    pixel += size;
    const std::vector<float> values = preprocess(image, torchvision, {}, files[i]);
    const auto row = expected.row(static_cast<Index>(i));
    Index differing = 0;
    for (Index k = 0; k < row.size(); ++k) {
      const float wanted = table(k / (224 * 224), static_cast<Index>(row(k)));
      differing += values[static_cast<std::size_t>(k)] != wanted ? 1 : 0;
    }
    EXPECT_EQ(differing, 0) << files[i] << " " << image.width << " x " << image.height;
  }
  EXPECT_EQ(pixel, decoded.end());
}

}  // namespace
}  // namespace atcav::data
