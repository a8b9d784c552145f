#pragma once

#include <string>
#include <vector>

#include "atcav/run/given.h"
#include "atcav/run/result.h"

// Which concepts, classes and layers a list of results speaks of, in order of first appearance.
namespace atcav::report {

std::vector<std::string> concepts_of(const std::vector<Result>& results);
std::vector<std::string> classes_of(const std::vector<Result>& results);
std::vector<std::string> layers_of(const std::vector<Result>& results);
std::vector<std::string> concepts_of(const std::vector<GivenScore>& given);
std::vector<std::string> classes_of(const std::vector<GivenScore>& given);
std::vector<std::string> layers_of(const std::vector<GivenScore>& given);

// "a", "a and b", "a, b and c"; with more than `most` names "7 classes" (for plural "classes").
std::string listed(const std::vector<std::string>& names, std::size_t most, const std::string& plural);
// "1 concept", "3 concepts".
std::string counted(std::size_t count, const std::string& singular, const std::string& plural);

}  // namespace atcav::report
