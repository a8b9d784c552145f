#include "atcav/io/fail.h"

#include <fmt/format.h>

#include <stdexcept>
#include <system_error>

namespace atcav::io {

void fail_file(std::string_view function, std::string_view file, std::string_view message) {
  throw std::runtime_error(fmt::format("[{}] {}: {}", function, file, message));
}

void fail_file(std::string_view function, std::string_view file, std::string_view message, int error) {
  fail_file(function, file, fmt::format("{}: {}", message, std::generic_category().message(error)));
}

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "'";
  for (const char character : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += character;
    }
  }
  result += text.size() > kLongest ? "…'" : "'";
  return result;
}

}  // namespace atcav::io
