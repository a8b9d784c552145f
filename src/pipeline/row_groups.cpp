#include "pipeline/row_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "core/check.h"
#include "data/file/fail.h"
#include "data/file/reader.h"

namespace atcav {

std::vector<std::string> groups_by(const std::string& expression, const std::vector<std::string>& names,
                                   const std::string& role) {
  std::regex pattern;
  try {
    pattern = std::regex(expression);
  } catch (const std::regex_error&) {
    fail_argument("groups", fmt::format("{} is no regular expression", data::quote(expression)));
  }
  if (names.empty())
    fail_argument("groups",
                  fmt::format("{} needs file names, which {} does not have", data::quote(expression), role));
  std::vector<std::string> groups;
  for (const std::string& name : names) {
    std::smatch found;
    if (!std::regex_search(name, found, pattern)) {
      fail_argument("groups", fmt::format("{} does not match {} of {}", data::quote(expression),
                                          data::quote(name), role));
    }
    groups.push_back(found.size() > 1 ? found[1].str() : found[0].str());
  }
  return groups;
}

std::vector<std::string> class_groups(const Config& config, const std::string& class_name,
                                      const std::vector<std::string>& files, Index inputs) {
  const auto own = std::ranges::find_if(
      config.class_groups, [&](const ExampleSet& set) { return set.name.empty() || set.name == class_name; });
  if (own == config.class_groups.end()) return {};
  const std::string role = fmt::format("class '{}'", class_name);
  if (!std::filesystem::exists(own->path)) return groups_by(own->path, files, role);
  std::vector<std::string> groups = data::read_lines(own->path);
  while (!groups.empty() && groups.back().empty()) groups.pop_back();
  check_same("groups", "lines or inputs", own->path, std::ssize(groups), role, inputs);
  return groups;
}

}  // namespace atcav
