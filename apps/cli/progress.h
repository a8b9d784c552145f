#pragma once

#include <functional>
#include <string>

#include "atcav/matrix.h"

// Progress on standard error: a bar with rate and time left when that is a terminal, else a line when a stage
// ends and every ten seconds. An interrupt (apps/cli/signals.h) is noticed here: between steps the work stops
// by Interrupted.
namespace atcav::cli {

struct Interrupted {};

bool colours_wanted(int file_descriptor);
// Of the terminal: COLUMNS where it is exported, else what the terminal says; 100 where it is none or does
// not say.
std::size_t terminal_width(int file_descriptor);

// "examples [###...] 30/60  12/s  3 s left" and "examples: 30 of 60, 12/s, 3 s left".
std::string progress_bar(const std::string& stage, Index done, Index total, double seconds);
std::string progress_line(const std::string& stage, Index done, Index total, double seconds);

// While the function lives there may be a bar on the screen; then it is gone.
//   const RunResult result = run(config, progress_on_terminal(quiet));
std::function<void(const std::string& stage, Index done, Index total)> progress_on_terminal(bool quiet);

}  // namespace atcav::cli
