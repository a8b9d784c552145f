#include "atcav/io/image_png.h"

#include <png.h>

#include <algorithm>
#include <cstring>

#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

constexpr Index kMostPixels = Index{1} << 27;

struct Source {
  std::string_view bytes;
  std::string message;
};

void read(png_structp png, png_bytep out, std::size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (source->bytes.size() < count) png_error(png, "it is cut short");
  std::memcpy(out, source->bytes.data(), count);
  source->bytes.remove_prefix(count);
}

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  static_cast<Source*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

// Nothing with a destructor lives here: errors jump out.
bool decode(png_structp png, png_infop info, Image& image, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  image.width = static_cast<Index>(png_get_image_width(png, info));
  image.height = static_cast<Index>(png_get_image_height(png, info));
  if (image.width * image.height > kMostPixels) png_error(png, "it claims more than 2^27 pixels");
  const int colour = png_get_color_type(png, info);
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (colour == PNG_COLOR_TYPE_GRAY || colour == PNG_COLOR_TYPE_GRAY_ALPHA) {
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_gray_to_rgb(png);
  }
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != static_cast<std::size_t>(image.width * 3))
    png_error(png, "its rows are odd");
  image.rgb.resize(static_cast<std::size_t>(image.width * image.height * 3));
  for (Index y = 0; y < image.height; ++y) rows.push_back(image.rgb.data() + y * image.width * 3);
  png_read_image(png, rows.data());
  return true;
}

}  // namespace

Image decode_png(std::string_view bytes, std::string_view name) {
  Source source{bytes, {}};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
  png_infop info = png_create_info_struct(png);
  png_set_read_fn(png, &source, read);
  Image image;
  std::vector<png_bytep> rows;
  const bool good = decode(png, info, image, rows);
  png_destroy_read_struct(&png, &info, nullptr);
  if (!good) fail_file("decode_image", name, "is a damaged PNG image: " + source.message);
  return image;
}

}  // namespace atcav::io
