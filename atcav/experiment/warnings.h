#pragma once

#include <string>
#include <vector>

#include "atcav/experiment/analyse.h"

// What a careful colleague would add to a number, in one sentence each: never silently wrong.
namespace atcav::experiment {

std::vector<std::string> warnings_of(const Result& result, const Evidence& evidence, const Options& options);

}  // namespace atcav::experiment
