#pragma once

#include <string_view>

#include "atcav/io/image.h"

namespace atcav::io {

// See decode_image.
Image decode_png(std::string_view bytes, std::string_view name);

}  // namespace atcav::io
