#include "pipeline/row_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "core/check.h"
#include "data/file/fail.h"
#include "data/file/reader.h"

namespace atcav {
namespace {

constexpr Index kLongest = 1000;  // the parser of the standard library recurses

// Backtracking takes time that is exponential in a name's length, and stack.
#ifdef __GLIBCXX__
constexpr auto kSyntax = std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kSyntax = std::regex::ECMAScript;
#endif

std::regex compile(const std::string& expression) {
  check_within("groups", "length of the regular expression", std::ssize(expression), 1, kLongest);
  try {
    return std::regex(expression, kSyntax);
  } catch (const std::regex_error& error) {
    fail_argument("groups", error.code() == std::regex_constants::error_complexity
                                ? fmt::format("{} refers back to a capture, which is not supported",
                                              data::quote(expression))
                                : fmt::format("{} is not a regular expression", data::quote(expression)));
  }
}

}  // namespace

std::vector<std::string> groups_by(const std::string& expression, const std::vector<std::string>& names,
                                   const std::string& role) {
  const std::regex pattern = compile(expression);
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
    if (groups.back().empty()) {
      fail_argument("groups", fmt::format("{} takes no group's name from {} of {}", data::quote(expression),
                                          data::quote(name), role));
    }
  }
  return groups;
}

std::vector<std::string> class_groups(const Config& config, const std::string& class_name,
                                      const std::vector<std::string>& files, Index inputs) {
  const auto own = std::ranges::find_if(
      config.class_groups, [&](const ExampleSet& set) { return set.name.empty() || set.name == class_name; });
  if (own == config.class_groups.end()) return {};
  const std::string role = fmt::format("class '{}'", class_name);
  std::error_code no_file;
  if (!std::filesystem::exists(own->path, no_file)) return groups_by(own->path, files, role);
  std::vector<std::string> groups = data::read_lines(own->path);
  while (!groups.empty() && groups.back().empty()) groups.pop_back();
  check_same("groups", "lines or inputs", own->path, std::ssize(groups), role, inputs);
  if (const auto none = std::ranges::find(groups, ""); none != groups.end()) {
    fail_argument("groups", fmt::format("line {} of {} is empty, must name a group",
                                        none - groups.begin() + 1, own->path));
  }
  return groups;
}

std::shared_ptr<const RowGroups> row_groups(const Config& config, const LayerNames& names,
                                            const RowGroups& files, bool has_pool,
                                            const std::vector<std::string>& of_column) {
  if (config.group_by.empty() && config.class_groups.empty() && of_column.empty()) return nullptr;
  static const std::vector<std::string> none;
  const auto files_of = [](const std::vector<std::vector<std::string>>& lists, std::size_t at) {
    return at < lists.size() ? lists[at] : none;
  };
  auto groups = std::make_shared<RowGroups>();
  if (!config.group_by.empty()) {
    const std::size_t sets = names.concepts.empty() ? 0 : names.concepts.size() + 1;
    for (std::size_t s = 0; s < sets; ++s) {
      const std::string role = s == 0 ? "random" : fmt::format("concept '{}'", names.concepts[s - 1]);
      groups->sets.push_back(groups_by(config.group_by, files_of(files.sets, s), role));
    }
    if (has_pool && of_column.empty()) groups->pool = groups_by(config.group_by, files.pool, "pool");
  }
  if (!of_column.empty()) groups->pool = of_column;
  if (!config.class_groups.empty()) {
    for (std::size_t k = 0; k < names.classes.size(); ++k) {
      const LayerNames::Class& of_class = names.classes[k];
      groups->classes.push_back(
          class_groups(config, of_class.name, files_of(files.classes, k), of_class.inputs));
    }
  }
  return groups;
}

}  // namespace atcav
