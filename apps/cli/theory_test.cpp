#include "apps/cli/theory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "apps/cli/command.h"
#include "tests/support/run_theory.h"

namespace atcav::cli {
namespace {

using ::testing::HasSubstr;
using testing_support::run_theory;

TEST(TheoryCommand, ListsItsSubcommands) {
  CLI::App app;
  add_theory_command(app, {});
  const std::string help = app.get_subcommand("theory")->help();
  for (const char* name : {"scores", "ratio", "ridge", "imbalanced", "plan"})
    EXPECT_THAT(help, HasSubstr(name));
}

TEST(TheoryCommand, NeedsASubcommand) {
  EXPECT_THROW(run_theory(""), CLI::ParseError);
  EXPECT_THROW(run_theory("nonsense"), CLI::ParseError);
}

// The examples in the help of every subcommand must run as printed.
TEST(TheoryCommand, HelpExamplesWork) {
  CLI::App app;
  add_theory_command(app, {});
  int examples = 0;
  for (const CLI::App* command : app.get_subcommand("theory")->get_subcommands({})) {
    std::istringstream footer(command->get_footer());
    for (std::string line; std::getline(footer, line);) {
      const std::string prompt = "  atcav theory ";
      if (line.rfind(prompt, 0) != 0 || line.find(".yaml") != std::string::npos) continue;
      if (line.find("results.json") != std::string::npos) continue;  // TheoryPlan tests that one
      EXPECT_NE(run_theory(line.substr(prompt.size())), "") << line;
      ++examples;
    }
  }
  EXPECT_EQ(examples, 5);
}

}  // namespace
}  // namespace atcav::cli
