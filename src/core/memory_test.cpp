#include "core/memory.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/temp_folder.h"

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

// A group's own limit is wider than its parent's, cached files are free, and a name that is not a folder is
// no limit.
TEST(Memory, LimitsOfAllGroupsAroundAProcessCount) {
  const testing_support::TempFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder.path() / std::filesystem::path(name)).parent_path());
    folder.write(name, text);
  };
  const std::string mount = folder.path() + "/mount";
  const auto left = [&](const std::string& groups) {
    folder.write("groups", groups);
    return group_memory(folder.path() + "/groups", mount);
  };
  write("mount/slice/memory.max", "5000\n");
  write("mount/slice/memory.current", "3000\n");
  write("mount/slice/memory.stat", "anon 1\ninactive_file 400\nactive_file 7\n");
  write("mount/slice/job/memory.max", "9000\n");
  write("mount/slice/job/memory.current", "100\n");
  write("mount/other/memory.max", "max\n");
  write("mount/other/memory.current", "100\n");
  EXPECT_EQ(left("0::/slice/job\n"), 2400);
  EXPECT_EQ(left("0::/slice/job/deeper\n"), 2400);
  EXPECT_TRUE(std::isinf(left("0::/other\n")));
  EXPECT_TRUE(std::isinf(left("0::/\n3:cpu:/slice\nodd\n0::odd\n")));
  write("mount/memory/docker/8a4f/memory.limit_in_bytes", "700\n");
  write("mount/memory/docker/8a4f/memory.usage_in_bytes", "600\n");
  write("mount/memory/docker/8a4f/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n");
  EXPECT_EQ(left("5:memory:/docker/8a4f\n0::/slice\n"), 150);
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
