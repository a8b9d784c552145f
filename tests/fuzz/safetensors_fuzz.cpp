#include <cstdint>
#include <stdexcept>

#include "data/array/safetensors.h"
#include "tests/fuzz/use_array.h"

// Any bytes are named arrays or a std::runtime_error, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const atcav::data::Safetensors file = atcav::data::read_safetensors(
        atcav::data::read_memory(std::string(reinterpret_cast<const char*>(data), size)));
    for (const auto& [name, array] : file.tensors) atcav::fuzz::use_array(array);
    file.tensor("no such tensor");
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
