#pragma once

#include <span>
#include <string>
#include <string_view>

// "Did you mean": for messages about a name that is not there.
namespace atcav::io {

// The names most like `wanted` (fewest letters to add, drop or change), quoted, best first, with the
// number of those left out: "'conv1.weight', 'conv2.weight' and 158 more". "none" for no names.
std::string closest_names(std::string_view wanted, std::span<const std::string> names, std::size_t most = 8);

}  // namespace atcav::io
