#include "data/image/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/check.h"
#include "data/file/fail.h"
#include "data/image/resize.h"

namespace atcav::data {
namespace {

struct Size {
  Index width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

// torchvision: the longer side is int(size * long / short) in Python, so a quotient of doubles cut off.
Size shorter_side(Size have, Index size, std::string_view name) {
  const auto [shorter, longer] = std::minmax(have.width, have.height);
  const double other =
      std::floor(static_cast<double>(size) * static_cast<double>(longer) / static_cast<double>(shorter));
  if (other > std::numeric_limits<std::int32_t>::max()) {
    fail_file("preprocess", name,
              "is {} x {}, too long to be resized to a shorter side of {} (width x height)", have.width,
              have.height, size);
  }
  const auto rest = static_cast<Index>(other);
  return have.width <= have.height ? Size{size, rest} : Size{rest, size};
}

// Where a centred cut begins; negative where black edges are added. Halves go to the even number, as Python
// rounds them.
Index offset(Index have, Index want) {
  const Index extra = have - want;
  return extra < 0 ? -(-extra / 2) : extra / 2 + (extra % 4 == 3 ? 1 : 0);
}

// How the image becomes one of the network's size: resized, then cut.
struct Plan {
  Size resized, cut;
};

Plan plan(Size have, const Preprocess& how, const ImageFormat& format, std::string_view name) {
  const Size wanted{format.width, format.height};
  Plan plan{have, have};
  if (how.resize || how.crop) {
    if (how.resize) plan.resized = shorter_side(have, *how.resize, name);
    plan.cut = how.crop ? Size{*how.crop, *how.crop} : plan.resized;
  } else if (how.fit && have != wanted) {
    const double size = static_cast<double>(std::max(wanted.width, wanted.height)) * 256 / 224;
    plan = {shorter_side(have, std::lround(size), name), wanted};
  }
  if (plan.cut != wanted) {
    fail_file("preprocess", name, "is {} x {}, but the model takes {} x {} (width x height)", plan.cut.width,
              plan.cut.height, wanted.width, wanted.height);
  }
  return plan;
}

Image shaped(const Image& image, const Plan& plan) {
  const auto& [resized, cut] = plan;
  if (resized == cut && cut == Size{image.width, image.height}) return image;
  const Index left = offset(resized.width, cut.width), top = offset(resized.height, cut.height);
  const Window inside{std::max<Index>(0, left), std::max<Index>(0, top), std::min(cut.width, resized.width),
                      std::min(cut.height, resized.height)};
  Image part = resize(image, resized.width, resized.height, inside);
  if (left >= 0 && top >= 0) return part;
  Image framed{cut.width, cut.height,
               std::vector<std::uint8_t>(static_cast<std::size_t>(cut.width * cut.height * 3))};
  const Index x = std::max<Index>(0, -left), y = std::max<Index>(0, -top);
  for (Index row = 0; row < part.height; ++row) {
    std::copy_n(part.rgb.begin() + row * part.width * 3, part.width * 3,
                framed.rgb.begin() + ((y + row) * cut.width + x) * 3);
  }
  return framed;
}

std::vector<float> per_channel(const std::vector<double>& values, Index channels) {
  std::vector<double> used = values;
  if (channels == 1 && values.size() == 3) used = {(values[0] + values[1] + values[2]) / 3};
  if (used.size() == 1) used.assign(static_cast<std::size_t>(channels), used[0]);
  check_same("preprocess", "numbers", "mean or std", std::ssize(used), "the channels", channels);
  return {used.begin(), used.end()};
}

}  // namespace

Preprocess preprocess_preset(PreprocessPreset preset) {
  switch (preset) {
    case PreprocessPreset::kTorchvision:
      return {.scale = 1.0 / 255, .mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}};
    case PreprocessPreset::kCaffe:
      return {.mean = {104, 117, 123}, .bgr = true};
    case PreprocessPreset::kTf:
      return {.scale = 1 / 127.5, .mean = {1, 1, 1}};
    case PreprocessPreset::kNone:
      break;
  }
  return {.fit = false};
}

Normalisation normalisation(const Preprocess& how, Index channels) {
  return {static_cast<float>(how.scale), per_channel(how.mean, channels), per_channel(how.std, channels)};
}

std::vector<std::uint8_t> preprocess_pixels(const Image& image, const Preprocess& how,
                                            const ImageFormat& format, std::string_view name) {
  Image shape = shaped(image, plan({image.width, image.height}, how, format, name));
  if (format.channels == 3) {
    for (std::size_t i = 0; how.bgr && i < shape.rgb.size(); i += 3)
      std::swap(shape.rgb[i], shape.rgb[i + 2]);
    return std::move(shape.rgb);
  }
  std::vector<std::uint8_t> pixels(shape.rgb.size() / 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::uint8_t* rgb = shape.rgb.data() + 3 * i;
    pixels[i] =
        static_cast<std::uint8_t>(std::nearbyint(0.299F * rgb[0] + 0.587F * rgb[1] + 0.114F * rgb[2]));
  }
  return pixels;
}

std::vector<float> preprocess(const Image& image, const Preprocess& how, const ImageFormat& format,
                              std::string_view name) {
  const auto [scale, mean, std] = normalisation(how, format.channels);
  const std::vector<std::uint8_t> from = preprocess_pixels(image, how, format, name);
  const Index pixels = format.width * format.height;
  std::vector<float> values(from.size());
  for (Index c = 0; c < format.channels; ++c) {
    float* out = values.data() + (format.channels_last ? c : c * pixels);
    const Index step = format.channels_last ? format.channels : 1;
    const auto channel = static_cast<std::size_t>(c);
    for (Index i = 0; i < pixels; ++i, out += step) {
      const auto value = static_cast<float>(from[i * format.channels + c]);
      *out = (value * scale - mean[channel]) / std[channel];
    }
  }
  return values;
}

}  // namespace atcav::data
