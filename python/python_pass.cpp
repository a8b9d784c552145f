#include <pybind11/stl.h>

#include <utility>

#include "bind.h"
#include "pass/backend.h"
#include "python_rows.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

py::array_t<Index> array_of(const std::vector<Index>& values) {
  return py::array_t<Index>(static_cast<py::ssize_t>(values.size()), values.data());
}

class PythonPass : public pass::PassBackend {
 public:
  explicit PythonPass(py::object pass) : pass_(shared(std::move(pass))) {}

  void add(Index set, const Rows& rows) override {
    const auto* tensor = rows.as<py::object>();
    const py::gil_scoped_acquire locked;
    call("add")(set, tensor != nullptr ? *tensor : py::object(view_of(rows.host())));
  }
  void continue_at(Index set, Index row) override {
    const py::gil_scoped_acquire locked;
    call("continue_at")(set, row);
  }
  Eigen::VectorXf centre() const override {
    const py::gil_scoped_acquire locked;
    const auto values = Floats::ensure(call("centre")());
    return Eigen::Map<const Eigen::VectorXf>(values.data(), values.size());
  }
  Matrix take_projections(Index set) override {
    const py::gil_scoped_acquire locked;
    const py::object found = call("take_projections")(set);
    return found.is_none() ? Matrix() : matrix_of(found);
  }
  pass::CarriedSums take_group_sums(Index set) override {
    const py::gil_scoped_acquire locked;
    return pass::CarriedSums(matrix_of(call("take_group_sums")(set)));
  }
  Vector take_squares(Index set) override {
    const py::gil_scoped_acquire locked;
    const auto values = Doubles::ensure(call("take_squares")(set));
    return Eigen::Map<const Vector>(values.data(), values.size());
  }
  void end() override {
    const py::gil_scoped_acquire locked;
    call("end")();
  }
  std::vector<Matrix> gradient_products() const override {
    const py::gil_scoped_acquire locked;
    std::vector<Matrix> products;
    for (const auto& one : py::list(call("gradient_products")()))
      products.push_back(matrix_of(py::reinterpret_borrow<py::object>(one)));
    return products;
  }
  Vector scored_products(Index set, const Matrix& directions) const override {
    const py::gil_scoped_acquire locked;
    const py::array_t<double> given({directions.rows(), directions.cols()}, directions.data(), py::none());
    const auto found = Doubles::ensure(call("scored_products")(set, given));
    return Eigen::Map<const Vector>(found.data(), found.size());
  }
  Matrix gram() const override {
    const py::gil_scoped_acquire locked;
    return matrix_of(call("gram")());
  }
  void read_rows(Index set, Index first, Eigen::Ref<MatrixF> rows) const override {
    const py::gil_scoped_acquire locked;
    call("read_rows")(set, first, writable_view_of(rows));
  }

 private:
  py::object call(const char* name) const { return pass_->attr(name); }

  std::shared_ptr<py::object> pass_;
};

}  // namespace

std::shared_ptr<pass::PassBackend> python_pass(const py::object& start, const pass::BackendOptions& options,
                                               const py::object& first) {
  py::list sets;
  for (std::size_t s = 0; s < options.sets.size(); ++s)
    sets.append(py::make_tuple(options.sets[s].rows, array_of(options.scored[s])));
  py::object centre = py::none();
  if (options.centre) centre = view_of(MatrixFRef(options.centre->transpose()));
  return std::make_shared<PythonPass>(start(first, "gradients"_a = view_of(options.gradients),
                                            "sets"_a = sets, "folds"_a = options.folds,
                                            "groups"_a = options.groups, "gram"_a = options.gram,
                                            "centre"_a = centre, "input_groups"_a = options.input_groups));
}

}  // namespace atcav::python
