#include <cstdint>
#include <stdexcept>

#include "data/image/preprocess.h"

// Any bytes are an image, which any network can be given, or a std::runtime_error, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto image = atcav::data::decode_image({reinterpret_cast<const char*>(data), size}, "fuzz");
    atcav::data::preprocess(image, {}, {.channels = 3, .height = 8, .width = 13}, "fuzz");
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
