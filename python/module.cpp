#include "atcav/version.h"
#include "bind.h"

PYBIND11_MODULE(_atcav, module) {
  module.doc() = "What atcav/__init__.py is made of.";
  module.attr("__version__") = atcav::kVersion;
  module.attr("knows_numpy_2") = PYBIND11_VERSION_HEX >= 0x020C0000;
  atcav::python::bind_stats(module);
  atcav::python::bind_theory(module);
  atcav::python::bind_model(module);
  atcav::python::bind_options(module);
  atcav::python::bind_run(module);
  atcav::python::bind_discover(module);
  atcav::python::bind_shares(module);
}
