#include "atcav/io/encode_png.h"

#include <png.h>

#include <stdexcept>

#include "atcav/base/check.h"

namespace atcav::io {

std::string encode_png(const Image& image) {
  check_at_least("encode_png", "pixels", image.width * image.height, 1);
  check_same("encode_png", "bytes", "rgb", static_cast<Index>(image.rgb.size()), "width × height × 3",
             image.width * image.height * 3);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) == 0) {
    throw std::runtime_error(std::string("[encode_png] ") + png.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace atcav::io
