#include "atcav/io/image_jpeg.h"

#include <jerror.h>
#include <jpeglib.h>  // needs <cstdio> before it

#include <array>
#include <csetjmp>
#include <cstdio>

#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

constexpr Index kMostPixels = Index{1} << 27;

struct Errors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  bool cut_short = false;
};

[[noreturn]] void on_error(j_common_ptr info) { std::longjmp(reinterpret_cast<Errors*>(info->err)->jump, 1); }

// The library fills what is missing with grey and only warns; Pillow refuses such files, and so do we.
void on_warning(j_common_ptr info, int level) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) errors->cut_short = true;
}

// Pillow's arithmetic, on ink stored inverted: 255 is no ink.
void ink_to_rgb(const JSAMPLE* ink, Index width, std::uint8_t* rgb) {
  for (Index x = 0; x < width; ++x, ink += 4, rgb += 3) {
    const int light = ink[3];
    for (int c = 0; c < 3; ++c) {
      const int product = (255 - ink[c]) * light + 128;
      rgb[c] = static_cast<std::uint8_t>(light - (((product >> 8) + product) >> 8));
    }
  }
}

enum class Outcome { good, damaged, cut_short, too_large };

// Nothing with a destructor lives here: errors jump out.
Outcome decode(std::string_view bytes, jpeg_decompress_struct& info, Errors& errors, Image& image,
               std::vector<JSAMPLE>& line) {
  if (setjmp(errors.jump) != 0) return Outcome::damaged;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  image.width = static_cast<Index>(info.image_width);
  image.height = static_cast<Index>(info.image_height);
  if (image.width * image.height > kMostPixels) return Outcome::too_large;
  const bool ink = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = ink ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  image.rgb.resize(static_cast<std::size_t>(image.width * image.height * 3));
  line.resize(static_cast<std::size_t>(image.width * 4));
  while (info.output_scanline < info.output_height) {
    std::uint8_t* out = image.rgb.data() + static_cast<Index>(info.output_scanline) * image.width * 3;
    JSAMPROW row = ink ? line.data() : out;
    jpeg_read_scanlines(&info, &row, 1);
    if (ink) ink_to_rgb(line.data(), image.width, out);
  }
  jpeg_finish_decompress(&info);
  return errors.cut_short ? Outcome::cut_short : Outcome::good;
}

}  // namespace

Image decode_jpeg(std::string_view bytes, std::string_view name) {
  jpeg_decompress_struct info{};
  Errors errors{};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_warning;
  Image image;
  std::vector<JSAMPLE> line;
  const Outcome outcome = decode(bytes, info, errors, image, line);
  std::array<char, JMSG_LENGTH_MAX> text{};
  if (outcome == Outcome::damaged)
    errors.manager.format_message(reinterpret_cast<j_common_ptr>(&info), text.data());
  jpeg_destroy_decompress(&info);
  switch (outcome) {
    case Outcome::damaged:
      fail_file("decode_image", name, std::string("is a damaged JPEG image: ") + text.data());
    case Outcome::cut_short:
      fail_file("decode_image", name, "is a JPEG image that is cut short");
    case Outcome::too_large:
      fail_file("decode_image", name, "claims more than 2^27 pixels");
    default:
      return image;
  }
}

}  // namespace atcav::io
