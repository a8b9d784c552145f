#include "running.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace atcav::python {
namespace {

namespace py = pybind11;

std::atomic<bool>& ending() {
  static std::atomic<bool> flag = false;
  return flag;
}

std::atomic<int>& count() {
  static std::atomic<int> number = 0;
  return number;
}

void stop_at_exit() {
  if (!ending()) return;
  PyErr_SetNone(PyExc_SystemExit);  // which a thread ends by without a word
  throw py::error_already_set();
}

void end() {
  using namespace std::chrono_literals;
  ending() = true;
  const py::gil_scoped_release unlocked;
  const auto enough = std::chrono::steady_clock::now() + 60s;  // a model may hang
  while (count() > 0 && std::chrono::steady_clock::now() < enough) std::this_thread::sleep_for(10ms);
}

}  // namespace

Running::Running() {
  stop_at_exit();
  ++count();
}

Running::~Running() { --count(); }

void bind_running() { py::module_::import("atexit").attr("register")(py::cpp_function(&end)); }

void check_signals() {
  const py::gil_scoped_acquire locked;
  stop_at_exit();
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

Progress progress_to(const py::object& tell) {
  return [&tell](const std::string& stage, Index done, Index total) {
    check_signals();
    const py::gil_scoped_acquire locked;
    if (!tell.is_none()) tell(stage, done, total);
  };
}

}  // namespace atcav::python
