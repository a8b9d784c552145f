#include "python_rows.h"

#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace atcav::python {
namespace {

namespace py = pybind11;

class NumpyRows : public Rows {
 public:
  explicit NumpyRows(const Floats& values)
      : values_(values.data()), rows_(values.shape(0)), columns_(values.shape(1)), owner_(shared(values)) {}
  Index rows() const override { return rows_; }
  Index columns() const override { return columns_; }
  Eigen::Map<const MatrixF> host() const override { return {values_, rows_, columns_}; }

 private:
  const float* values_;
  Index rows_;
  Index columns_;
  std::shared_ptr<py::object> owner_;
};

// Rows × columns of float32 on a device.
class TensorRows : public Rows {
 public:
  TensorRows(const py::object& tensor, Index rows, Index columns)
      : rows_(rows), columns_(columns), tensor_(shared(tensor)) {}
  Index rows() const override { return rows_; }
  Index columns() const override { return columns_; }

  Eigen::Map<const MatrixF> host() const override {
    const py::gil_scoped_acquire locked;
    if (!copy_) copy_.emplace(Floats::ensure(py::module_::import("atcav._pass").attr("in_memory")(*tensor_)));
    return copy_->host();
  }

  void copy_to(Eigen::Ref<MatrixF> out) const override {
    if (copy_) {
      out = copy_->host();
      return;
    }
    const py::gil_scoped_acquire locked;
    py::module_::import("atcav._pass").attr("to_host")(*tensor_, writable_view_of(out));
  }

 protected:
  const void* holder(const std::type_info& type) const override {
    return type == typeid(py::object) ? tensor_.get() : nullptr;
  }

 private:
  Index rows_;
  Index columns_;
  std::shared_ptr<py::object> tensor_;
  mutable std::optional<NumpyRows> copy_;  // once it was asked for
};

class TensorDirections : public model::HeldDirections {
 public:
  TensorDirections(const py::object& hold, const Matrix& directions)
      : HeldDirections(directions),
        there_(shared(hold(py::array_t<double>({directions.rows(), directions.cols()}, directions.data(),
                                               py::capsule(&directions, [](void*) {}))))) {}

  Matrix products(const Rows& rows, int threads) const override {
    const auto* tensor = rows.as<py::object>();
    if (tensor == nullptr) return HeldDirections::products(rows, threads);
    const py::gil_scoped_acquire locked;
    return matrix_of(there_->attr("products")(*tensor));
  }

 private:
  std::shared_ptr<py::object> there_;
};

py::array view(float* values, Index rows, Index columns, Index stride) {
  const auto bytes = static_cast<py::ssize_t>(sizeof(float));
  return py::array_t<float>({rows, columns}, {stride * bytes, bytes}, values,
                            py::capsule(values, [](void*) {}));
}

}  // namespace

std::shared_ptr<py::object> shared(py::object object) {
  return {new py::object(std::move(object)), [](py::object* owned) {
            const py::gil_scoped_acquire locked;
            delete owned;
          }};
}

RowsPtr rows_of(const py::object& result) {
  if (py::hasattr(result, "data_ptr") && py::len(result.attr("shape")) == 2) {
    const auto shape = result.attr("shape").cast<std::pair<Index, Index>>();
    return std::make_shared<TensorRows>(result, shape.first, shape.second);
  }
  const auto values = Floats::ensure(result);
  if (!values || values.ndim() != 2)
    throw std::invalid_argument("[python_model] a network must give arrays with one row per example");
  return std::make_shared<NumpyRows>(values);
}

py::array view_of(const MatrixFRef& rows) {
  return view(const_cast<float*>(rows.data()), rows.rows(), rows.cols(), rows.outerStride());
}

py::array writable_view_of(Eigen::Ref<MatrixF> rows) {
  return view(rows.data(), rows.rows(), rows.cols(), rows.outerStride());
}

Matrix matrix_of(const py::object& result) {
  const auto values = Doubles::ensure(result);
  if (!values) throw py::error_already_set();
  return Eigen::Map<const Matrix>(values.data(), values.shape(0), values.shape(1));
}

std::unique_ptr<const model::HeldDirections> held_directions(const py::object& hold,
                                                             const Matrix& directions) {
  return std::make_unique<TensorDirections>(hold, directions);
}

}  // namespace atcav::python
