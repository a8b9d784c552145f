#pragma once

#include <string>
#include <vector>

namespace atcav::cli {

// "atcav" and the arguments after it as a shell would have to be given them: what has other characters than
// letters, digits and _ - . / = : , + @ % stands in single quotes.
std::string quoted(const std::vector<std::string>& arguments);

}  // namespace atcav::cli
