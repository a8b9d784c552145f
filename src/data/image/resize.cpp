#include "data/image/resize.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace atcav::data {
namespace {

constexpr int kFractionBits = 32 - 8 - 2;  // 8 bits of pixel, 2 to spare
constexpr std::int32_t kHalf = 1 << (kFractionBits - 1);

// The weights of one output pixel belong to the input pixels from `first` on.
struct Taps {
  Index first = 0;
  std::vector<std::int32_t> weights;
};

std::vector<Taps> taps_of(Index have, Index want, Index begin, Index count) {
  const double scale = static_cast<double>(have) / static_cast<double>(want);
  const double radius = std::max(scale, 1.0);
  const double per_pixel = 1.0 / radius;
  std::vector<Taps> all(static_cast<std::size_t>(count));
  std::vector<double> exact;
  for (Index i = 0; i < count; ++i) {
    const double centre = (static_cast<double>(begin + i) + 0.5) * scale;
    const Index first = std::max<Index>(0, static_cast<Index>(std::floor(centre - radius + 0.5)));
    const Index end = std::min(have, static_cast<Index>(std::floor(centre + radius + 0.5)));
    exact.clear();
    double sum = 0;
    for (Index j = first; j < end; ++j) {
      const double distance = std::abs((static_cast<double>(j) - centre + 0.5) * per_pixel);
      exact.push_back(distance < 1 ? 1 - distance : 0);
      sum += exact.back();
    }
    Taps& taps = all[i];
    taps.first = first;
    for (const double weight : exact) {
      taps.weights.push_back(
          static_cast<std::int32_t>(std::floor(0.5 + weight / sum * (1 << kFractionBits))));
    }
  }
  return all;
}

std::uint8_t rounded(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

// Rows first … first+count−1 of the image, with `width` made from the window's columns.
Image along_rows(const Image& image, Index width, const Window& window, Index first, Index count) {
  Image result{window.width, count,
               std::vector<std::uint8_t>(static_cast<std::size_t>(window.width * count * 3))};
  const std::vector<Taps> columns = taps_of(image.width, width, window.left, window.width);
  std::uint8_t* out = result.rgb.data();
  for (Index y = first; y < first + count; ++y) {
    const std::uint8_t* row = image.rgb.data() + y * image.width * 3;
    for (const Taps& taps : columns) {
      std::int32_t red = kHalf, green = kHalf, blue = kHalf;
      const std::uint8_t* in = row + taps.first * 3;
      for (const std::int32_t weight : taps.weights) {
        red += weight * in[0];
        green += weight * in[1];
        blue += weight * in[2];
        in += 3;
      }
      *out++ = rounded(red);
      *out++ = rounded(green);
      *out++ = rounded(blue);
    }
  }
  return result;
}

}  // namespace

Image resize(const Image& image, Index width, Index height) {
  return resize(image, width, height, {0, 0, width, height});
}

Image resize(const Image& image, Index width, Index height, const Window& window) {
  check_at_least("resize", "width", width, 1);
  check_at_least("resize", "height", height, 1);
  if (window.left < 0 || window.top < 0 || window.width < 1 || window.height < 1 ||
      window.left > width - window.width || window.top > height - window.height) {
    fail_argument("resize", "window must lie inside the result");
  }
  const std::vector<Taps> rows = taps_of(image.height, height, window.top, window.height);
  const Index first = rows.front().first;
  const Index end = rows.back().first + std::ssize(rows.back().weights);
  const Image wide = along_rows(image, width, window, first, end - first);

  const Index stride = window.width * 3;
  Image result{window.width, window.height, {}};
  result.rgb.reserve(static_cast<std::size_t>(window.height * stride));
  std::vector<std::int32_t> sums(static_cast<std::size_t>(stride));
  for (const Taps& taps : rows) {
    std::ranges::fill(sums, kHalf);
    const std::uint8_t* in = wide.rgb.data() + (taps.first - first) * stride;
    for (const std::int32_t weight : taps.weights) {
      for (std::int32_t& sum : sums) sum += weight * *in++;
    }
    std::transform(sums.begin(), sums.end(), std::back_inserter(result.rgb), rounded);
  }
  return result;
}

}  // namespace atcav::data
