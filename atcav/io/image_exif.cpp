#include "atcav/io/image_exif.h"

#include <cstdint>
#include <utility>

namespace atcav::io {
namespace {

// Numbers of 2 or 4 bytes in the order the block announces; 0 beyond its end.
struct Block {
  std::string_view bytes;
  bool big_endian = false;

  std::uint32_t number(std::size_t at, std::size_t size) const {
    if (at > bytes.size() || bytes.size() - at < size) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[big_endian ? at + i : at + size - 1 - i]);
      value = value << 8 | byte;
    }
    return value;
  }
};

int orientation_in(std::string_view tiff) {
  const Block block{tiff, tiff.starts_with("MM")};
  constexpr std::uint32_t kOrientation = 0x0112;
  const std::size_t directory = block.number(4, 4);
  const std::uint32_t entries = block.number(directory, 2);
  for (std::uint32_t i = 0; i < entries && i < 512; ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    if (block.number(entry, 2) == kOrientation) return static_cast<int>(block.number(entry + 8, 2));
  }
  return 1;
}

}  // namespace

int exif_orientation(std::string_view jpeg) {
  const Block block{jpeg, true};
  // Segments: 0xFF, marker, length (its own two bytes counted), content; pixels begin at 0xDA.
  for (std::size_t at = 2; at + 4 <= jpeg.size();) {
    const std::uint32_t marker = block.number(at, 2);
    const std::size_t length = block.number(at + 2, 2);
    if (marker < 0xFF00 || marker == 0xFFDA || length < 2) return 1;
    const std::string_view content = jpeg.substr(at + 4, length - 2);
    if (marker == 0xFFE1 && content.starts_with(std::string_view("Exif\0\0", 6))) {
      const int orientation = orientation_in(content.substr(6));
      return orientation >= 1 && orientation <= 8 ? orientation : 1;
    }
    at += 2 + length;
  }
  return 1;
}

Image turned(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  const bool swapped = orientation >= 5;
  const bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image result{swapped ? image.height : image.width, swapped ? image.width : image.height, {}};
  result.rgb.resize(image.rgb.size());
  for (Index y = 0; y < result.height; ++y) {
    for (Index x = 0; x < result.width; ++x) {
      // Where this pixel was in the file.
      Index from_x = swapped ? y : x;
      Index from_y = swapped ? x : y;
      if (flip_x) from_x = image.width - 1 - from_x;
      if (flip_y) from_y = image.height - 1 - from_y;
      for (Index c = 0; c < 3; ++c) {
        result.rgb[static_cast<std::size_t>((y * result.width + x) * 3 + c)] =
            image.rgb[static_cast<std::size_t>((from_y * image.width + from_x) * 3 + c)];
      }
    }
  }
  return result;
}

}  // namespace atcav::io
