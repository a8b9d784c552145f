#include <cstdint>
#include <stdexcept>

#include "data/array/npy.h"
#include "tests/fuzz/use_array.h"

// Any bytes are an array or a std::runtime_error, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    atcav::fuzz::use_array(atcav::data::read_npy(
        atcav::data::read_memory(std::string(reinterpret_cast<const char*>(data), size))));
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
