#pragma once

#include <string>
#include <vector>

#include "atcav/run/result.h"

// What a careful colleague would add to a number, in one sentence each: never silently wrong.
namespace atcav {

// Of one result; `zero_gradients` of its inputs have a gradient that is zero in every column.
std::vector<std::string> warnings_of(const Result& result, Index zero_gradients, const Options& options);

// Where the network takes few of the class inputs for the class: a wrong index or preprocessing.
std::vector<std::string> top_class_warnings(const Result& result);

// Of a call with so many tests: a permutation test with B relabellings cannot give a p below 1/(B+1), which
// times the number of tests may never fall below 1 - level. Empty where it can.
std::vector<std::string> multiplicity_notes(Index tests, const Options& options);

}  // namespace atcav
