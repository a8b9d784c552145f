#pragma once

#include <cstddef>
#include <string_view>

namespace atcav {

// Bytes of the well-formed UTF-8 character that text, which is not empty, starts with; 0 if there is none.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace atcav
