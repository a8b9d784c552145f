#pragma once

#include <string_view>

#include "atcav/io/image.h"

// How the camera was held, from the EXIF block of a JPEG file.
namespace atcav::io {

// 1 … 8 as EXIF numbers them; 1 (upright) when there is no such entry or it makes no sense.
int exif_orientation(std::string_view jpeg);

// The picture upright.
Image turned(Image image, int orientation);

}  // namespace atcav::io
