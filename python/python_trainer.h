#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "stats/sparse_autoencoder.h"

namespace atcav::python {

// The training of a sparse autoencoder that is a Python object (atcav/_autoencoder.py), which `start` makes.
std::shared_ptr<stats::AutoencoderTrainer> python_trainer(const pybind11::object& start,
                                                          const MatrixFRef& rows,
                                                          const stats::SparseAutoencoder& from);

}  // namespace atcav::python
