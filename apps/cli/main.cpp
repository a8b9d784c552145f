#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#ifdef ATCAV_RUNS_FROM_CACHE
#include "atcav/model/model.h"
#endif
#include "command.h"
#include "program.h"

// The program itself scores arrays, answers theory and runs from the cache. What needs a network goes to its
// sibling: loading LibTorch costs up to half a second and 170 MB, which the others need not pay.
namespace {

#ifdef ATCAV_HAS_NETWORK
int hand_over(char** argv) {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string sibling = (self.parent_path() / ATCAV_NETWORK_PROGRAM).string();
  // OpenMP's threads wait for each other by spinning, by default for so long that two runs on one machine
  // take many times as long as one.
  setenv("GOMP_SPINCOUNT", "10000", 0);
  execv(sibling.c_str(), argv);
  std::fputs(fmt::format("atcav: {}: {} (it belongs beside atcav)\n", sibling, std::strerror(errno)).c_str(),
             stderr);
  return atcav::cli::ExitCode::kFile;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  using namespace atcav::cli;
#ifdef ATCAV_HAS_NETWORK
  const std::string_view command = argc > 1 ? argv[1] : "";
#ifdef ATCAV_RUNS_FROM_CACHE
  try {
    if (command == "run") return run_program(argc, argv, {add_run_command});
  } catch (const atcav::nn::NeedsNetwork&) {
    return hand_over(argv);
  }
#endif
  if (command != "score" && command != "theory") return hand_over(argv);
#endif
  return run_program(argc, argv, {add_score_command, add_theory_command});
}
