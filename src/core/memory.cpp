#include "core/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace atcav {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The number in a file that holds nothing else; "max" and a missing file are no limit.
double number_in(const std::string& file) {
  double value = 0;
  return std::ifstream(file) >> value ? value : kUnlimited;
}

double system_available() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes && std::getline(file, unit);) {
    if (name == "MemAvailable:") return 1024 * kilobytes;
  }
  return kUnlimited;
}

// Names of a group's files.
struct GroupFiles {
  const char* most;
  const char* used;
  std::string_view cached;  // in memory.stat: what goes as soon as memory is short
};

double left_in_group(const std::string& folder, const GroupFiles& files) {
  const double most = number_in(folder + files.most);
  double used = number_in(folder + files.used);
  if (!std::isfinite(most) || !std::isfinite(used)) return kUnlimited;
  std::ifstream statistics(folder + "/memory.stat");
  double value = 0;
  for (std::string name; statistics >> name >> value;) {
    if (name == files.cached) used -= value;
  }
  return std::max(0.0, most - used);
}

}  // namespace

double group_memory(const std::string& groups, const std::string& mount) {
  double left = kUnlimited;
  std::ifstream file(groups);
  // "0::/user.slice/job" (version 2) or "5:memory:/docker/8a4f".
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string kinds = line.substr(first + 1, second - first - 1);
    if (!kinds.empty() && kinds != "memory") continue;
    const GroupFiles names =
        kinds.empty() ? GroupFiles{"/memory.max", "/memory.current", "inactive_file"}
                      : GroupFiles{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};
    const std::string root = kinds.empty() ? mount : mount + "/memory";
    for (std::string path = line.substr(second + 1); path.starts_with('/'); path.resize(path.rfind('/')))
      left = std::min(left, left_in_group(root + path, names));
    left = std::min(left, left_in_group(root, names));
  }
  return left;
}

double address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const double pages = number_in("/proc/self/statm");  // its first number: all that is mapped
  const double used = std::isfinite(pages) ? pages * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

double available_memory() { return std::min({system_available(), group_memory(), address_space_left()}); }

double memory_budget(double gigabytes) { return gigabytes > 0 ? 1e9 * gigabytes : 0.9 * available_memory(); }

void check_memory(std::string_view function, std::string_view what, double bytes, double budget) {
  if (bytes <= budget) return;
  throw std::runtime_error(fmt::format("[{}] {} needs {:.3g} GB, the memory budget is {:.3g} GB (--memory)",
                                       function, what, bytes / 1e9, budget / 1e9));
}

}  // namespace atcav
