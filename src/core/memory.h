#pragma once

#include <string>
#include <string_view>

// Memory is checked against a budget before it is allocated, with one message for all that do not fit.
namespace atcav {

// Bytes that this process can still allocate without swapping: the least of what the system has available and
// of the next two.
double available_memory();
// What is left of the limits of its control group and of all groups around that one, of either version;
// cached files do not count as used. Infinite without limits. `groups` is the process's list of its groups.
double group_memory(const std::string& groups = "/proc/self/cgroup",
                    const std::string& mount = "/sys/fs/cgroup");
// What is left of the limit of its address space (ulimit -v).
double address_space_left();

// The budget behind an option in gigabytes (10^9 bytes): 0 stands for nine tenths of available_memory().
double memory_budget(double gigabytes);

// std::runtime_error "[run_pass] K of 90000 examples needs 64.8 GB, the memory budget is 12.0 GB (--memory)"
// unless bytes ≤ budget.
void check_memory(std::string_view function, std::string_view what, double bytes, double budget);

}  // namespace atcav
