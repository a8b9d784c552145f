#pragma once

#include <string>
#include <string_view>

#include "atcav/io/image.h"

// Pictures small enough to travel inside a page.
namespace atcav::io {

// "data:image/jpeg;base64,…" of the image, its longer side shrunk to at most `side` pixels.
std::string thumbnail_uri(const Image& image, Index side);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace atcav::io
