#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "atcav/config.h"

// Any text is a configuration that can be written and read again, or a std::invalid_argument, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string written;
  try {
    written = atcav::write_config(atcav::read_config(std::string(reinterpret_cast<const char*>(data), size)));
  } catch (const std::invalid_argument&) {
    return 0;
  }
  if (atcav::write_config(atcav::read_config(written)) != written) std::abort();
  return 0;
}
