#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "atcav/config.h"
#include "atcav/model.h"
#include "atcav/ranks.h"
#include "model/inputs.h"

// The bindings, one function per room. std::invalid_argument becomes ValueError, std::runtime_error
// RuntimeError (pybind11 does both); the GIL is released while the library works.
namespace atcav::python {

void bind_stats(pybind11::module_& module);
void bind_theory(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_options(pybind11::module_& module);
void bind_run(pybind11::module_& module);
void bind_discover(pybind11::module_& module);
void bind_shares(pybind11::module_& module);

// {key of an option: value}, which win over those of `config`. TypeError for values that no option can have.
Config config_of(const pybind11::dict& options, Config config = {});
// A message with Python's words for options: pool="mean" for --pool=mean.
std::string in_keywords(const std::string& message);

// A network that is a Python object (atcav/_network.py): `facts`, a dict, on_device, remarks, and methods
// activations, gradients, logits, logits_from, start_pass and start_autoencoder, which are called with the
// GIL held. What they raise comes out of the run.
std::shared_ptr<model::Model> python_model(pybind11::object network);
// A pass that is a Python object (atcav/_pass.py), which `start` makes; `first`: the tensor that comes first.
std::shared_ptr<pass::PassBackend> python_pass(const pybind11::object& start,
                                               const pass::BackendOptions& options,
                                               const pybind11::object& first);
// Examples that are a Python object (atcav/_examples.py): `rows`, `has_any_order`, block(first, count),
// read(first, count).
std::shared_ptr<model::ExampleSource> python_examples(pybind11::object examples);
// Processes that are a Python object (atcav/_ranks.py): rank, size, local_rank, broadcast(bytes, from).
// nullptr for None.
std::shared_ptr<Ranks> python_ranks(pybind11::object ranks);

}  // namespace atcav::python
