#include "atcav/base/memory.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace atcav {
namespace {

TEST(Memory, AvailableIsPartOfTheMachines) {
  struct sysinfo machine {};
  ASSERT_EQ(sysinfo(&machine), 0);
  const double all = static_cast<double>(machine.totalram) * machine.mem_unit;
  EXPECT_GT(available_memory(), 0);
  EXPECT_LE(available_memory(), all);
}

TEST(Memory, ALimitOfTheAddressSpaceCounts) {
  constexpr rlim_t kLeft = rlim_t{1} << 28;
  rlim_t pages = 0;
  ASSERT_TRUE(std::ifstream("/proc/self/statm") >> pages);  // terabytes with a sanitizer
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kLeft;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  const double left = available_memory();
  setrlimit(RLIMIT_AS, &before);
  EXPECT_GT(left, 0);
  EXPECT_LE(left, static_cast<double>(kLeft));
}

TEST(Memory, ABudgetIsWhatWasAskedForOrFromTheMachine) {
  EXPECT_EQ(memory_budget(2), 2e9);
  EXPECT_GT(memory_budget(0), 0);
  EXPECT_LT(memory_budget(0), available_memory() * 1.1);
}

TEST(Memory, WhatDoesNotFitIsNamed) {
  EXPECT_NO_THROW(check_memory("f", "K", 1e9, 1e9));
  try {
    check_memory("run_pass", "K of 90000 examples", 64.8e9, 12e9);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "[run_pass] K of 90000 examples needs 64.8 GB, the memory budget is 12 GB (--memory)");
  }
}

}  // namespace
}  // namespace atcav
