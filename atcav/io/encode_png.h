#pragma once

#include <string>

#include "atcav/io/image.h"

namespace atcav::io {

// The image as a PNG file's bytes, 8 bits a channel; decode_image gives the same pixels back.
std::string encode_png(const Image& image);

}  // namespace atcav::io
