#include "atcav/io/data_uri.h"

#include <cstdio>
// jpeglib.h needs FILE and size_t to be there already.
#include <jpeglib.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "atcav/base/check.h"

namespace atcav::io {
namespace {

constexpr int kQuality = 80;

// Each pixel of the result is the mean of those it covers.
Image shrunk(const Image& image, Index side) {
  const Index longer = std::max(image.width, image.height);
  if (longer <= side) return image;
  Image small;
  small.width = std::max<Index>(1, image.width * side / longer);
  small.height = std::max<Index>(1, image.height * side / longer);
  small.rgb.resize(static_cast<std::size_t>(small.width * small.height * 3));
  for (Index y = 0; y < small.height; ++y) {
    const Index top = y * image.height / small.height;
    const Index bottom = std::max(top + 1, (y + 1) * image.height / small.height);
    for (Index x = 0; x < small.width; ++x) {
      const Index left = x * image.width / small.width;
      const Index right = std::max(left + 1, (x + 1) * image.width / small.width);
      for (Index c = 0; c < 3; ++c) {
        Index sum = 0;
        for (Index v = top; v < bottom; ++v) {
          for (Index u = left; u < right; ++u) sum += image.rgb[(v * image.width + u) * 3 + c];
        }
        small.rgb[(y * small.width + x) * 3 + c] =
            static_cast<std::uint8_t>(sum / ((bottom - top) * (right - left)));
      }
    }
  }
  return small;
}

std::string jpeg_bytes(Image image) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&jpeg, &buffer, &size);
  jpeg.image_width = static_cast<JDIMENSION>(image.width);
  jpeg.image_height = static_cast<JDIMENSION>(image.height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, kQuality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = image.rgb.data() + static_cast<Index>(jpeg.next_scanline) * image.width * 3;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owner(buffer, &std::free);
  std::string bytes(reinterpret_cast<const char*>(buffer), size);
  jpeg_destroy_compress(&jpeg);
  return bytes;
}

}  // namespace

std::string thumbnail_uri(const Image& image, Index side) {
  check_at_least("thumbnail_uri", "side", side, 1);
  check_at_least("thumbnail_uri", "pixels", image.width * image.height, 1);
  check_same("thumbnail_uri", "bytes", "rgb", static_cast<Index>(image.rgb.size()), "width × height × 3",
             image.width * image.height * 3);
  return "data:image/jpeg;base64," + base64(jpeg_bytes(shrunk(image, side)));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace atcav::io
