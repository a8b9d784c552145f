#pragma once

#include <string>
#include <vector>

#include "atcav/run/analyse.h"

// What a careful colleague would add to a number, in one sentence each: never silently wrong.
namespace atcav {

// What the sensitivities alone can give cause for.
struct SensitivityFacts {
  double tcav = 0;
  double zero_share = 0;
  double gamma = 0;
  Index n_class = 0;
  Index zero_gradients = 0;
};
std::vector<std::string> sensitivity_warnings(const SensitivityFacts& facts);

// Those, and what concerns the CAV and the tests.
std::vector<std::string> warnings_of(const Result& result, const Evidence& evidence, const Options& options);

}  // namespace atcav
