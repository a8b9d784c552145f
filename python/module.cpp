#include "atcav/base/version.h"
#include "bind.h"

PYBIND11_MODULE(_atcav, module) {
  module.doc() = "What atcav/__init__.py is made of.";
  module.attr("__version__") = atcav::kVersion;
  atcav::python::bind_stats(module);
  atcav::python::bind_theory(module);
  atcav::python::bind_run(module);
}
