#include "apps/cli/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "apps/cli/command.h"

namespace atcav::cli {
namespace {

using testing::ExitedWithCode;
using testing::StrEq;

// Longer than a signal leaves to the work.
void end_slowly() {
  ::sleep(5);
  std::_Exit(99);
}

void interrupt() {
  catch_signals();
  ::kill(::getpid(), SIGINT);
  while (!interrupted()) ::usleep(1000);
}

TEST(Signals, EndWorkThatDoesNotAsk) {
  EXPECT_EXIT(
      {
        interrupt();
        end_slowly();
      },
      ExitedWithCode(ExitCode::kInterrupted), StrEq("atcav: interrupted, no results were written\n"));
}

TEST(Signals, AddNothingToALastWord) {
  EXPECT_EXIT(
      {
        interrupt();
        claim_exit(ExitCode::kFile);
        std::fputs("atcav: a file\n", stderr);
        end_slowly();
      },
      ExitedWithCode(ExitCode::kFile), StrEq("atcav: a file\n"));
}

}  // namespace
}  // namespace atcav::cli
