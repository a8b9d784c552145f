#pragma once

#include <pybind11/numpy.h>

#include <memory>

#include "atcav/model.h"

// What passes between C++ and Python: rows of activations and gradients, and objects that hold them.
namespace atcav::python {

using Floats = pybind11::array_t<float, pybind11::array::c_style | pybind11::array::forcecast>;
using Integers = pybind11::array_t<std::int64_t, pybind11::array::c_style | pybind11::array::forcecast>;
using Doubles = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

// Objects that C++ threads may drop when they do not hold the GIL.
std::shared_ptr<pybind11::object> shared(pybind11::object object);

// A NumPy array as it lies in memory; a tensor on a device, which comes to memory when somebody asks
// (Rows::as<pybind11::object>() is the tensor itself). std::invalid_argument unless it has two dimensions.
RowsPtr rows_of(const pybind11::object& result);

// A copy of an array of doubles with two dimensions.
Matrix matrix_of(const pybind11::object& result);

// As NumPy sees them, without a copy; valid as long as the rows are.
pybind11::array view_of(const MatrixFRef& rows);
pybind11::array writable_view_of(Eigen::Ref<MatrixF> rows);

// Directions on a device, which `hold` (atcav._pass.Held) sends there.
std::unique_ptr<const model::HeldDirections> held_directions(const pybind11::object& hold,
                                                             const Matrix& directions);

}  // namespace atcav::python
