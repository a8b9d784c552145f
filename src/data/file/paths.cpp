#include "data/file/paths.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "data/file/fail.h"

namespace atcav::data {
namespace {

bool exists(std::string_view path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_pattern(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::vector<std::string> split_list(std::string_view paths) {
  std::vector<std::string> parts;
  if (exists(paths)) return {std::string(paths)};
  for (std::size_t first = 0; first <= paths.size();) {
    const std::size_t comma = std::min(paths.find(',', first), paths.size());
    parts.emplace_back(paths.substr(first, comma - first));
    if (parts.back().empty()) return {std::string(paths)};
    first = comma + 1;
  }
  return parts;
}

bool names_files(std::string_view path) {
  return exists(path) || (is_pattern(path) && !matches(std::string(path)).empty());
}

std::vector<std::string> expand_pattern(const std::string& path) {
  if (exists(path) || !is_pattern(path)) return {path};
  std::vector<std::string> paths = matches(path);
  if (paths.empty()) fail_file("open_array", path, "is neither a file nor a pattern that matches files");
  return paths;
}

}  // namespace atcav::data
