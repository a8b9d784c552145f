#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "command.h"
#include "program.h"

// The program itself scores arrays and answers theory. What needs a network goes to its sibling: loading
// LibTorch costs a quarter of a second and 170 MB, which arrays need not pay.
namespace {

#ifdef ATCAV_HAS_NETWORK
int hand_over(char** argv) {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string sibling = (self.parent_path() / ATCAV_NETWORK_PROGRAM).string();
  // OpenMP's threads wait for each other by spinning, by default for so long that two runs on one machine take
  // many times as long as one.
  setenv("GOMP_SPINCOUNT", "10000", 0);
  execv(sibling.c_str(), argv);
  std::fputs(fmt::format("atcav: {}: {} (it belongs beside atcav)\n", sibling, std::strerror(errno)).c_str(),
             stderr);
  return atcav::cli::ExitCode::kFile;
}
#endif

}  // namespace

int main(int argc, char** argv) {
#ifdef ATCAV_HAS_NETWORK
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command != "score" && command != "theory") return hand_over(argv);
#endif
  return atcav::cli::run_program(argc, argv, {atcav::cli::add_score_command, atcav::cli::add_theory_command});
}
