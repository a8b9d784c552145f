#pragma once

#include <map>
#include <string>
#include <string_view>

namespace atcav::report {

// `page` with each {{name}} replaced by its value. Values are not looked into, so braces in them stay.
// Throws std::invalid_argument for a name without a value.
std::string fill_template(std::string_view page, const std::map<std::string, std::string>& values);

}  // namespace atcav::report
