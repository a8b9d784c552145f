#include "atcav/base/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

namespace atcav {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The number in a file that holds nothing else; "max" and a missing file are no limit.
double number_in(const char* file) {
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

double group_available() {
  const double limit = std::min(number_in("/sys/fs/cgroup/memory.max"),
                                number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  const double used = std::min(number_in("/sys/fs/cgroup/memory.current"),
                               number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes"));
  return std::isfinite(limit) && std::isfinite(used) ? std::max(0.0, limit - used) : kUnlimited;
}

double address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const double pages = number_in("/proc/self/statm");  // its first number: all that is mapped
  const double used = std::isfinite(pages) ? pages * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

}  // namespace

double available_memory() { return std::min({system_available(), group_available(), address_space_left()}); }

double memory_budget(double gigabytes) { return gigabytes > 0 ? 1e9 * gigabytes : 0.9 * available_memory(); }

void check_memory(std::string_view function, std::string_view what, double bytes, double budget) {
  if (bytes <= budget) return;
  throw std::runtime_error(fmt::format("[{}] {} needs {:.3g} GB, the memory budget is {:.3g} GB (--memory)",
                                       function, what, bytes / 1e9, budget / 1e9));
}

}  // namespace atcav
