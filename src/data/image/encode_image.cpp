#include "data/image/encode_image.h"

#include <cstdio>
// jpeglib.h needs FILE and size_t to be there already.
#include <jerror.h>
#include <jpeglib.h>
#include <openssl/evp.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/check.h"
#include "data/image/resize.h"

namespace atcav::data {
namespace {

constexpr int kQuality = 80;

void check_whole(const char* function, const Image& image) {
  check_at_least(function, "pixels", image.width * image.height, 1);
  check_same(function, "bytes", "rgb", std::ssize(image.rgb), "width × height × 3",
             image.width * image.height * 3);
}

struct EncodeErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
};

// libjpeg's own ends the process.
[[noreturn]] void on_encode_error(j_common_ptr jpeg) {
  std::longjmp(reinterpret_cast<EncodeErrors*>(jpeg->err)->jump, 1);
}

// Whether it went well. Nothing with a destructor lives here: errors jump out.
bool encode_pixels(Image& image, jpeg_compress_struct& jpeg, EncodeErrors& errors, unsigned char*& buffer,
                   unsigned long& size) {  // NOLINT: libjpeg's type
  if (setjmp(errors.jump) != 0) return false;
  jpeg_create_compress(&jpeg);
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
  return true;
}

std::string encode_jpeg(Image image) {
  jpeg_compress_struct jpeg{};
  EncodeErrors errors{};
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_encode_error;
  std::string room(4096, '\0');  // where it is too small libjpeg asks for more
  auto* const begin = reinterpret_cast<unsigned char*>(room.data());
  unsigned char* buffer = begin;
  unsigned long size = room.size();  // NOLINT: libjpeg's type
  const bool good = encode_pixels(image, jpeg, errors, buffer, size);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owner(buffer == begin ? nullptr : buffer,
                                                                   &std::free);
  std::array<char, JMSG_LENGTH_MAX> reason{};
  if (!good) errors.manager.format_message(reinterpret_cast<j_common_ptr>(&jpeg), reason.data());
  jpeg_destroy_compress(&jpeg);
  if (!good && errors.manager.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
  if (!good) throw std::runtime_error(std::string("[thumbnail_uri] ") + reason.data());
  return {reinterpret_cast<const char*>(buffer), size};
}

}  // namespace

std::string encode_png(const Image& image) {
  check_whole("encode_png", image);
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

std::string thumbnail_uri(const Image& image, Index side) {
  check_at_least("thumbnail_uri", "side", side, 1);
  check_whole("thumbnail_uri", image);
  const Index longer = std::max(image.width, image.height);
  const auto shrunk = [&](Index size) { return std::max<Index>(1, size * side / longer); };
  const Image small = longer > side ? resize(image, shrunk(image.width), shrunk(image.height)) : image;
  return "data:image/jpeg;base64," + base64(encode_jpeg(small));
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // libcrypto ends it with a zero
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

}  // namespace atcav::data
