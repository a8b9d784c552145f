#include "atcav/report/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace atcav::report {
namespace {

using GivenScore;
using Result;

template <typename Entry>
std::vector<std::string> distinct(const std::vector<Entry>& results, std::string Entry::*field) {
  std::vector<std::string> names;
  for (const Entry& result : results) {
    if (std::find(names.begin(), names.end(), result.*field) == names.end()) names.push_back(result.*field);
  }
  return names;
}

}  // namespace

std::vector<std::string> concepts_of(const std::vector<Result>& results) {
  return distinct(results, &Result::concept_name);
}
std::vector<std::string> classes_of(const std::vector<Result>& results) {
  return distinct(results, &Result::class_name);
}
std::vector<std::string> layers_of(const std::vector<Result>& results) {
  return distinct(results, &Result::layer);
}
std::vector<std::string> concepts_of(const std::vector<GivenScore>& given) {
  return distinct(given, &GivenScore::concept_name);
}
std::vector<std::string> classes_of(const std::vector<GivenScore>& given) {
  return distinct(given, &GivenScore::class_name);
}
std::vector<std::string> layers_of(const std::vector<GivenScore>& given) {
  return distinct(given, &GivenScore::layer);
}

std::string listed(const std::vector<std::string>& names, std::size_t most, const std::string& plural) {
  if (names.size() > most) return fmt::format("{} {}", names.size(), plural);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string counted(std::size_t count, const std::string& singular, const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

}  // namespace atcav::report
