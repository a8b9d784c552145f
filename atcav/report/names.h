#pragma once

#include <string>
#include <vector>

#include "atcav/experiment/given.h"
#include "atcav/experiment/result.h"

// Which concepts, classes and layers a list of results speaks of, in order of first appearance.
namespace atcav::report {

std::vector<std::string> concepts_of(const std::vector<experiment::Result>& results);
std::vector<std::string> classes_of(const std::vector<experiment::Result>& results);
std::vector<std::string> layers_of(const std::vector<experiment::Result>& results);
std::vector<std::string> concepts_of(const std::vector<experiment::GivenScore>& given);
std::vector<std::string> classes_of(const std::vector<experiment::GivenScore>& given);
std::vector<std::string> layers_of(const std::vector<experiment::GivenScore>& given);

// "a", "a and b", "a, b and c"; with more than `most` names "7 classes" (for plural "classes").
std::string listed(const std::vector<std::string>& names, std::size_t most, const std::string& plural);
// "1 concept", "3 concepts".
std::string counted(std::size_t count, const std::string& singular, const std::string& plural);

}  // namespace atcav::report
