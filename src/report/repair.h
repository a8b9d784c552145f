#pragma once

#include <string>

#include "atcav/repair.h"

// What `atcav repair` says of a repaired network: for programs, for the terminal, for people.
namespace atcav::report {

std::string repair_json(const Repaired& repaired);
// A line per group; without groups only what was taken out of which layer.
std::string repair_table(const Repaired& repaired);
// One page that needs nothing else, as report.html; without scripts.
std::string repair_html(const Repaired& repaired, const std::string& command_line);
// "clean trucks: 41 of 60 right before, 57 after: +0.27 (0.14 to 0.38)." An interval that holds 0 is said to.
std::string sentence(const RepairedGroup& group);

}  // namespace atcav::report
