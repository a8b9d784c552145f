#pragma once

#include <chrono>
#include <string>

#include "atcav/base/matrix.h"

// A progress bar with rate and time left on standard error when that is a terminal, nothing otherwise.
// Ctrl-C is noticed here: between steps the work stops by Interrupted, so files are left whole.
namespace atcav::cli {

struct Interrupted {};

// From now on Ctrl-C and SIGTERM set a flag instead of ending the program.
void catch_interrupts();
bool interrupted();

bool colours_wanted(int file_descriptor);

class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void operator()(const std::string& stage, Index done, Index total);

 private:
  void clear();

  bool shown_;
  bool drawn_ = false;
  std::string stage_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace atcav::cli
