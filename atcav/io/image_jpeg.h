#pragma once

#include <string_view>

#include "atcav/io/image.h"

namespace atcav::io {

// Pixels as stored, before EXIF. See decode_image.
Image decode_jpeg(std::string_view bytes, std::string_view name);

}  // namespace atcav::io
