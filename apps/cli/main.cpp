#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "apps/cli/signals.h"
#include "atcav/version.h"
#include "comm/comm.h"
#include "report/escape.h"

namespace atcav::cli {
namespace {

// Names in a message are the user's bytes: whatever they hold, they do not move the cursor.
int fail(int code, std::string_view message) {
  claim_exit(code);
  // Not fmt::print, which throws where standard error is closed or full.
  std::fputs(fmt::format("atcav: {}\n", report::printable_lines(message)).c_str(), stderr);
  if (comm::size() > 1) comm::abort(code);
  return code;
}

int run_command(int argc, char** argv) {
  catch_signals();
  CLI::App app("Testing what a neural network knows and uses, with concept activation vectors.\n");
  app.name("atcav");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  atcav demo -o out\n"
      "  atcav run --model resnet50.onnx --layer layer3 --class zebra:340=images/zebra \\\n"
      "        --concept striped=dtd/striped --random images/random -o out\n"
      "  atcav score --concept striped=striped.npy --random random.npy --gradients zebra=zebra.npy -o out\n\n"
      "Exit codes: 0 done, 1 compare --fail-on-change found one, 2 bad option or argument, 3 unreadable or "
      "unwritable file, 130 Ctrl-C or "
      "SIGTERM.");
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  add_run_command(app, arguments);
  add_score_command(app, arguments);
  add_share_command(app, arguments);
  add_merge_command(app, arguments);
  add_reanalyse_command(app, arguments);
  add_compare_command(app, arguments);
  add_repair_command(app, arguments);
  add_discover_command(app, arguments);
  add_layers_command(app, arguments);
  add_theory_command(app, arguments);
  add_demo_command(app, arguments);
  add_paper_command(app, arguments);
  add_completion_command(app, arguments);
  if (comm::size() > 1 && (arguments.empty() || arguments[0] != "run")) {
    if (comm::rank() != 0) return ExitCode::kOk;
    return fail(ExitCode::kUsage, "only `atcav run` can be shared between ranks; start this without mpirun");
  }
  try {
    app.parse(argc, argv);
    // A full disk shows only when what was printed leaves the buffer.
    if (std::fflush(stdout) != 0) throw std::runtime_error("[output] standard output cannot be written");
    claim_exit(ExitCode::kOk);
    return ExitCode::kOk;
  } catch (const Changed&) {
    claim_exit(ExitCode::kChanged);
    return ExitCode::kChanged;
  } catch (const CLI::ParseError& error) {
    if (app.get_subcommands().empty() && !arguments.empty() && !arguments[0].starts_with('-')) {
      return fail(ExitCode::kUsage,
                  fmt::format("there is no command '{}'; there are run, score, share, merge, discover, "
                              "reanalyse, compare, repair, layers, theory, demo and paper",
                              arguments[0]));
    }
    return app.exit(error) == 0 ? ExitCode::kOk : ExitCode::kUsage;
  }
}

// Errors become one line on standard error and an exit code.
int run_program(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const Interrupted&) {
    return fail(ExitCode::kInterrupted, "interrupted, no results were written");
  } catch (const std::invalid_argument& error) {
    return fail(ExitCode::kUsage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kFile, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(ExitCode::kFile,
                fmt::format("[file] {}: {}", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    return fail(ExitCode::kFile, error.what());
  }
}

}  // namespace
}  // namespace atcav::cli

int main(int argc, char** argv) { atcav::comm::leave(atcav::cli::run_program(argc, argv)); }
