#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>

#include "atcav/options.h"
#include "bind.h"
#include "core/parallel.h"

// Long work that Python waits for: score, run, discover.
//
//   const Running running;
//   const Progress progress = progress_to(tell);
//   const py::gil_scoped_release unlocked;
//   const InterruptCheck check(check_signals);
//   return told_in_keywords([&] { return atcav::run(config, progress); });
namespace atcav::python {

// Work in daemon threads would go on while the interpreter ends, and take its lock when it is gone. At exit
// it is told to stop and waited for.
class Running {
 public:
  Running();
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

// Once: what happens at exit.
void bind_running();

// Ctrl-C stops the work: Python only notes it while C++ runs.
void check_signals();

// `tell` outlives the work, which its caller waits for.
Progress progress_to(const pybind11::object& tell);

// What the library says about options, said with Python's words for them.
template <typename Work>
auto told_in_keywords(Work work) {
  try {
    return work();
  } catch (const pybind11::error_already_set&) {
    throw;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(in_keywords(error.what()));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(in_keywords(error.what()));
  }
}

}  // namespace atcav::python
