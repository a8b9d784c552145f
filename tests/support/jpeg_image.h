#pragma once

#include <jpeglib.h>  // needs <cstdio> before it

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// JPEG files made in memory, for tests.
namespace atcav::testing_support {

struct JpegCase {
  J_COLOR_SPACE space = JCS_RGB;
  bool progressive = false;
  std::string exif = {};  // content of an APP1 segment
};

inline std::string jpeg_bytes(int width, int height, const std::vector<std::uint8_t>& pixels,
                              const JpegCase& how = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = how.space == JCS_GRAYSCALE ? 1 : how.space == JCS_CMYK ? 4 : 3;
  info.in_color_space = how.space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  if (how.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  if (!how.exif.empty()) {
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(how.exif.data()),
                      static_cast<unsigned>(how.exif.size()));
  }
  const int stride = width * info.input_components;
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.data() + static_cast<int>(info.next_scanline) * stride);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<const char*>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return bytes;
}

// An EXIF block that says only how the camera was held.
inline std::string exif_block(char orientation, bool big_endian = true) {
  const auto number = [&](unsigned value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (big_endian ? size - 1 - i : i);
      bytes += static_cast<char>(value >> shift & 0xFF);
    }
    return bytes;
  };
  return std::string("Exif\0\0", 6) + (big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) +
         number(1, 2) + number(0x0112, 2) + number(3, 2) + number(1, 4) +
         number(static_cast<unsigned>(orientation), 2) + number(0, 2) + number(0, 4);
}

}  // namespace atcav::testing_support
