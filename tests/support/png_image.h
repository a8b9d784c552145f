#pragma once

#include <png.h>

#include <cstdint>
#include <string>
#include <vector>

// PNG files made in memory, for tests.
namespace atcav::testing_support {

inline std::string png_bytes(png_uint_32 format, int width, int height, const void* pixels,
                             const void* colormap = nullptr, png_uint_32 colors = 0) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  image.colormap_entries = colors;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&image, nullptr, &size, 0, pixels, 0, colormap);
  std::string bytes(size, '\0');
  png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels, 0, colormap);
  return bytes.substr(0, size);
}

inline std::string grey_png(int width, int height, int value) {
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height),
                                         static_cast<std::uint8_t>(value));
  return png_bytes(PNG_FORMAT_GRAY, width, height, pixels.data());
}

}  // namespace atcav::testing_support
