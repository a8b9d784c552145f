#pragma once

#include <string>

#include "atcav/influences.h"

// A comparison as results.json is for a run, as the program prints it, and as a page.
namespace atcav::report {

std::string comparison_json(const Comparison& found);
std::string comparison_table(const Comparison& found);
std::string comparison_html(const Comparison& found, const std::string& command_line);

}  // namespace atcav::report
