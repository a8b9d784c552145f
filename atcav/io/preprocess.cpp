#include "atcav/io/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/base/check.h"
#include "plugins/torch/torch_internal.h"

namespace atcav::nn {
namespace {

// 1×3×H×W of float, 0 … 255.
at::Tensor pixels(const io::Image& image) {
  const at::Tensor bytes = at::from_blob(const_cast<std::uint8_t*>(image.rgb.data()),
                                         {1, image.height, image.width, 3}, at::kByte);
  return bytes.permute({0, 3, 1, 2}).to(at::kFloat).contiguous();
}

// Rounded to whole pixel values, as Pillow's images hold them.
at::Tensor resized(const at::Tensor& x, Index height, Index width) {
  if (x.size(2) == height && x.size(3) == width) return x;
  return at::_upsample_bilinear2d_aa(x, {height, width}, false).round().clamp(0, 255);
}

at::Tensor shorter_side(const at::Tensor& x, Index size) {
  const Index height = x.size(2);
  const Index width = x.size(3);
  return height <= width ? resized(x, size, size * width / height) : resized(x, size * height / width, size);
}

at::Tensor centre(const at::Tensor& x, Index height, Index width) {
  // Python's round: halves to the even number.
  const auto offset = [](Index have, Index want) {
    return static_cast<Index>(std::nearbyint(static_cast<double>(have - want) / 2));
  };
  const Index extra_y = std::max<Index>(0, height - x.size(2));
  const Index extra_x = std::max<Index>(0, width - x.size(3));
  const at::Tensor padded =
      at::constant_pad_nd(x, {extra_x / 2, (extra_x + 1) / 2, extra_y / 2, (extra_y + 1) / 2}, 0);
  return padded.narrow(2, offset(padded.size(2), height), height)
      .narrow(3, offset(padded.size(3), width), width);
}

at::Tensor shaped(const at::Tensor& x, const Preprocess& how, const ImageFormat& format) {
  if (how.resize || how.crop) {
    const at::Tensor y = how.resize ? shorter_side(x, *how.resize) : x;
    return how.crop ? centre(y, *how.crop, *how.crop) : y;
  }
  const bool fits = x.size(2) == format.height && x.size(3) == format.width;
  if (fits || !how.fit) return x;
  const double size = static_cast<double>(std::max(format.height, format.width)) * 256 / 224;
  return centre(shorter_side(x, std::lround(size)), format.height, format.width);
}

at::Tensor per_channel(const std::vector<double>& values, Index channels) {
  std::vector<double> used = values;
  if (used.size() == 1) used.assign(static_cast<std::size_t>(channels), values[0]);
  check_same("preprocess", "numbers", "mean or std", static_cast<Index>(used.size()), "the channels",
             channels);
  return at::tensor(used, at::kDouble).to(at::kFloat).reshape({1, -1, 1, 1});
}

}  // namespace

std::vector<float> preprocess(const io::Image& image, const Preprocess& how, const ImageFormat& format,
                              std::string_view name) {
  const at::NoGradGuard no_grad;
  at::Tensor x = shaped(pixels(image), how, format);
  if (x.size(2) != format.height || x.size(3) != format.width) {
    throw std::runtime_error(
        fmt::format("[preprocess] {}: is {} x {}, the model wants {} x {} (width x height)",
                    std::string(name), x.size(3), x.size(2), format.width, format.height));
  }
  if (format.channels == 1) {
    const at::Tensor weights = at::tensor({0.299F, 0.587F, 0.114F}).reshape({1, 3, 1, 1});
    x = (x * weights).sum({1}, true).round();
  } else if (how.bgr) {
    x = x.flip({1});
  }
  const auto used = [&](const std::vector<double>& values) {
    const bool grey = format.channels == 1 && values.size() == 3;
    return per_channel(grey ? std::vector<double>{(values[0] + values[1] + values[2]) / 3} : values,
                       format.channels);
  };
  x = (x * how.scale - used(how.mean)) / used(how.std);
  if (format.channels_last) x = x.permute({0, 2, 3, 1});
  x = x.contiguous();
  return {x.data_ptr<float>(), x.data_ptr<float>() + x.numel()};
}

}  // namespace atcav::nn
