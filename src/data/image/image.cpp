#include "data/image/image.h"

#include <fmt/format.h>
#include <jerror.h>
#include <jpeglib.h>  // needs <cstdio> before it
#include <png.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>

#include "core/memory.h"
#include "data/file/fail.h"

namespace atcav::data {
namespace {

constexpr Index kMostPixels = Index{1} << 27;

// What pictures in memory take together.
struct Held {
  std::mutex mutex;
  std::condition_variable less;
  double bytes = 0;
};

// Never destroyed: threads may give back until the process ends.
Held& held() {
  static auto* const all = new Held;
  return *all;
}

std::shared_ptr<void> take_room(double bytes, double budget, const Image& image, std::string_view name) {
  check_memory("decode_image", fmt::format("{} of {} x {} pixels", name, image.width, image.height), bytes,
               budget);
  Held& all = held();
  std::unique_lock lock(all.mutex);
  all.less.wait(lock, [&] { return all.bytes == 0 || all.bytes + bytes <= budget / 2; });
  std::shared_ptr<void> room(&all, [bytes](void* whose) {
    auto& before = *static_cast<Held*>(whose);
    const std::lock_guard lock(before.mutex);
    before.bytes -= bytes;
    before.less.notify_all();
  });
  all.bytes += bytes;
  return room;
}

// Numbers of 2 or 4 bytes in the order the block announces; 0 beyond its end.
struct ExifBlock {
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
  const ExifBlock block{tiff, tiff.starts_with("MM")};
  constexpr std::uint32_t kOrientation = 0x0112;
  const std::size_t directory = block.number(4, 4);
  const std::uint32_t entries = block.number(directory, 2);
  for (std::uint32_t i = 0; i < entries && i < 512; ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    if (block.number(entry, 2) == kOrientation) return static_cast<int>(block.number(entry + 8, 2));
  }
  return 1;
}

// 1 … 8 as EXIF numbers them; 1 (upright) when there is no such entry or it makes no sense.
int exif_orientation(std::string_view jpeg) {
  const ExifBlock block{jpeg, true};
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

// The picture upright.
Image turned(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  const bool swapped = orientation >= 5;
  const bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image result{swapped ? image.height : image.width, swapped ? image.width : image.height, {}};
  result.rgb.resize(image.rgb.size());
  result.room = image.room;
  for (Index y = 0; y < result.height; ++y) {
    for (Index x = 0; x < result.width; ++x) {
      // Where this pixel was in the file.
      Index from_x = swapped ? y : x;
      Index from_y = swapped ? x : y;
      if (flip_x) from_x = image.width - 1 - from_x;
      if (flip_y) from_y = image.height - 1 - from_y;
      for (Index c = 0; c < 3; ++c) {
        result.rgb[(y * result.width + x) * 3 + c] = image.rgb[(from_y * image.width + from_x) * 3 + c];
      }
    }
  }
  return result;
}

// Takes room for an image whose size is known, and for so many bytes of coefficients per pixel.
using Room = std::function<void(Image&, int coefficients)>;

struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  bool cut_short = false, damaged = false;
};

[[noreturn]] void on_jpeg_error(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->damaged = true;
  std::longjmp(errors->jump, 1);
}

// The library fills what is missing with grey and only warns; Pillow refuses such files, and so do we.
void on_jpeg_warning(j_common_ptr info, int level) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
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

// What is wrong with it, or nothing. Nothing with a destructor lives here: errors jump out.
const char* decode_pixels(std::string_view bytes, jpeg_decompress_struct& info, JpegErrors& errors,
                          Image& image, std::vector<JSAMPLE>& line, const Room& room) {
  if (setjmp(errors.jump) != 0) return "is a damaged JPEG image: ";
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  image.width = static_cast<Index>(info.image_width);
  image.height = static_cast<Index>(info.image_height);
  if (image.width * image.height > kMostPixels) return "claims more than 2^27 pixels";
  // Files of several scans are kept as coefficients of two bytes until the last has come.
  room(image, jpeg_has_multiple_scans(&info) != 0 ? 2 * info.num_components : 0);
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
  return errors.cut_short ? "is a JPEG image that is cut short" : nullptr;
}

// Pixels as stored, before EXIF.
Image decode_jpeg(std::string_view bytes, std::string_view name, const Room& room) {
  jpeg_decompress_struct info{};
  JpegErrors errors{};
  const std::unique_ptr<jpeg_decompress_struct, decltype(&jpeg_destroy_decompress)> owner(
      &info, &jpeg_destroy_decompress);
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_jpeg_error;
  errors.manager.emit_message = on_jpeg_warning;
  Image image;
  std::vector<JSAMPLE> line;
  const char* problem = decode_pixels(bytes, info, errors, image, line, room);
  std::array<char, JMSG_LENGTH_MAX> reason{};
  if (errors.damaged) errors.manager.format_message(reinterpret_cast<j_common_ptr>(&info), reason.data());
  if (errors.damaged && errors.manager.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
  if (problem != nullptr) fail_file("decode_image", name, std::string(problem) + reason.data());
  return image;
}

struct PngSource {
  std::string_view bytes;
  std::string message;
  bool out_of_memory = false;
};

// What libpng cannot get it calls damage or leaves out.
png_voidp png_memory(png_structp png, png_alloc_size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) static_cast<PngSource*>(png_get_mem_ptr(png))->out_of_memory = true;
  return memory;
}

void png_memory_back(png_structp, png_voidp memory) { std::free(memory); }

void read_png(png_structp png, png_bytep out, std::size_t count) {
  auto* source = static_cast<PngSource*>(png_get_io_ptr(png));
  if (source->bytes.size() < count) png_error(png, "it is cut short");
  std::memcpy(out, source->bytes.data(), count);
  source->bytes.remove_prefix(count);
}

[[noreturn]] void on_png_error(png_structp png, png_const_charp message) {
  static_cast<PngSource*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void on_png_warning(png_structp, png_const_charp) {}

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngReader(PngSource& source) {
    png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &source, on_png_error, on_png_warning, &source,
                                   png_memory, png_memory_back);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) {
      png_destroy_read_struct(&png, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png, &source, read_png);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

// Nothing with a destructor lives here: errors jump out.
bool decode_pixels(png_structp png, png_infop info, Image& image, std::vector<png_bytep>& rows,
                   const Room& room) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  image.width = static_cast<Index>(png_get_image_width(png, info));
  image.height = static_cast<Index>(png_get_image_height(png, info));
  if (image.width * image.height > kMostPixels) png_error(png, "it claims more than 2^27 pixels");
  room(image, 0);
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

Image decode_png(std::string_view bytes, std::string_view name, const Room& room) {
  PngSource source{bytes, {}};
  const PngReader reader(source);
  Image image;
  std::vector<png_bytep> rows;
  const bool good = decode_pixels(reader.png, reader.info, image, rows, room);
  if (source.out_of_memory) throw std::bad_alloc();
  if (!good) fail_file("decode_image", name, "is a damaged PNG image: " + source.message);
  return image;
}

}  // namespace

Image decode_image(std::string_view bytes, std::string_view name, double budget) {
  const bool jpeg = bytes.starts_with("\xFF\xD8\xFF");
  const int orientation = jpeg ? exif_orientation(bytes) : 1;
  const Room room = [&](Image& image, int coefficients) {
    const int each = 3 + std::max(coefficients, orientation > 1 ? 3 : 0);
    const auto pixels = static_cast<double>(image.width * image.height);
    image.room = take_room(each * pixels, budget, image, name);
  };
  if (jpeg) return turned(decode_jpeg(bytes, name, room), orientation);
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return decode_png(bytes, name, room);
  fail_file("decode_image", name, "is neither a JPEG nor a PNG image");
}

}  // namespace atcav::data
