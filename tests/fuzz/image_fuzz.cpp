#include <cstdint>
#include <stdexcept>

#include "atcav/io/image.h"

// Any bytes are an image or a std::runtime_error, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    atcav::io::decode_image({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
