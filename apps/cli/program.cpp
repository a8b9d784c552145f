#include "program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "atcav/base/version.h"
#include "atcav/comm/comm.h"
#include "command.h"
#include "progress.h"

namespace atcav::cli {
namespace {

int fail(int code, const char* message) {
  // Not fmt::print, which throws where standard error is closed or full.
  std::fputs(fmt::format("atcav: {}\n", message).c_str(), stderr);
  if (comm::size() > 1) comm::abort(code);
  return code;
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<AddCommand>& commands) {
  CLI::App app("Testing what a neural network knows and uses, with concept activation vectors.\n");
  app.name("atcav");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 2 bad option or argument, 3 unreadable or unwritable file, 130 Ctrl-C or "
      "SIGTERM.");
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  for (const AddCommand& add : commands) add(app, arguments);
  // Only `run` is shared between ranks.
  if (comm::rank() != 0 && (arguments.empty() || arguments[0] != "run")) return ExitCode::kOk;
  catch_interrupts();
  try {
    app.parse(argc, argv);
    // A full disk shows only when what was printed leaves the buffer.
    if (std::fflush(stdout) != 0) throw std::runtime_error("[output] standard output cannot be written");
    return ExitCode::kOk;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::kOk : ExitCode::kUsage;
  } catch (const Interrupted&) {
    return fail(ExitCode::kInterrupted, "interrupted, nothing was written");
  } catch (const std::invalid_argument& error) {
    return fail(ExitCode::kUsage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kFile, "out of memory");
  } catch (const std::exception& error) {
    return fail(ExitCode::kFile, error.what());
  }
}

}  // namespace atcav::cli
