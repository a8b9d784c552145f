#include "atcav/io/image.h"

#include "atcav/io/fail.h"
#include "atcav/io/image_exif.h"
#include "atcav/io/image_jpeg.h"
#include "atcav/io/image_png.h"

namespace atcav::io {

Image decode_image(std::string_view bytes, std::string_view name) {
  if (bytes.starts_with("\xFF\xD8\xFF")) return turned(decode_jpeg(bytes, name), exif_orientation(bytes));
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return decode_png(bytes, name);
  fail_file("decode_image", name, "is neither a JPEG nor a PNG image");
}

}  // namespace atcav::io
