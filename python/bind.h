#pragma once

#include <pybind11/pybind11.h>

// The bindings, one function per room. std::invalid_argument becomes ValueError, std::runtime_error
// RuntimeError (pybind11 does both); the GIL is released while the library works.
namespace atcav::python {

void bind_stats(pybind11::module_& module);
void bind_run(pybind11::module_& module);

}  // namespace atcav::python
