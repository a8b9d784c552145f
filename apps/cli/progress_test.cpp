#include "apps/cli/progress.h"

#include <gtest/gtest.h>

namespace atcav::cli {
namespace {

TEST(ProgressBarText, HasRateAndTimeLeftAfterAWhile) {
  EXPECT_EQ(progress_bar("pass", 0, 60, 3), "pass     [..............................] 0/60");
  EXPECT_EQ(progress_bar("pass", 30, 60, 0.1), "pass     [###############...............] 30/60");
  EXPECT_EQ(progress_bar("pass", 20, 60, 2),
            "pass     [##########....................] 20/60  10/s  4 s left");
}

TEST(ProgressLine, SaysHowLongAStageTook) {
  EXPECT_EQ(progress_line("examples", 30, 90, 10), "examples: 30 of 90, 3/s, 20 s left");
  EXPECT_EQ(progress_line("examples", 90, 90, 31.25), "examples: 90 in 31.2 s");
}

TEST(ProgressBar, WithoutATerminalAStageIsOneLine) {
  testing::internal::CaptureStderr();
  {
    const auto bar = progress_on_terminal(false);
    bar("pass", 1, 3);
    bar("pass", 3, 3);
    bar("pass", 3, 3);
    bar("analyse", 2, 2);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "pass: 3 in 0.0 s\nanalyse: 2 in 0.0 s\n");
}

TEST(ProgressBar, QuietIsQuiet) {
  testing::internal::CaptureStderr();
  progress_on_terminal(true)("pass", 3, 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace atcav::cli
