#pragma once

#include <string_view>

// Memory is asked for before it is taken: a budget, and one message for what does not fit into it.
namespace atcav {

// Bytes that this process can still get without pushing others out: the least of what the system has
// available, what is left of its control group's limit, and what is left of the limit of its address space
// (ulimit -v).
double available_memory();

// The budget behind an option in gigabytes (10^9 bytes): 0 stands for nine tenths of available_memory().
double memory_budget(double gigabytes);

// std::runtime_error "[run_pass] K of 90000 examples needs 64.8 GB, the memory budget is 12.0 GB (--memory)"
// unless bytes ≤ budget.
void check_memory(std::string_view function, std::string_view what, double bytes, double budget);

}  // namespace atcav
