#pragma once

#include <string>
#include <string_view>

#include "data/image/image.h"

// Pictures on their way out: into files, and into a page.
namespace atcav::data {

// The image as a PNG file's bytes, 8 bits per channel; decode_image gives the same pixels back.
std::string encode_png(const Image& image);

// "data:image/jpeg;base64,…" of the image, its longer side shrunk to at most `side` pixels.
std::string thumbnail_uri(const Image& image, Index side);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace atcav::data
