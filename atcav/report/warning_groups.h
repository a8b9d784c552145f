#pragma once

#include <string>
#include <vector>

#include "atcav/run/result.h"

namespace atcav::report {

// Warnings that say the same, as one: those whose words are equal, whatever their numbers.
struct WarningGroup {
  std::string text;    // the first of them
  bool equal = true;   // all have its numbers too
  std::string places;  // "striped / zebra @ layer3"; of more than three results "16 results (3 concepts,
                       // zebra, 2 layers)"
  std::string first;   // the place that `text` speaks of
};
// In order of first appearance. Layers are named when there are several.
std::vector<WarningGroup> warning_groups(const std::vector<Result>& results);

}  // namespace atcav::report
