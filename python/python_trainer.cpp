#include "python_trainer.h"

#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "python_rows.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
using stats::AutoencoderTrainer;
using stats::SparseAutoencoder;

py::array_t<Index> indices_of(std::span<const Index> values) {
  return py::array_t<Index>(static_cast<py::ssize_t>(values.size()), values.data());
}

class PythonTrainer : public AutoencoderTrainer {
 public:
  PythonTrainer(py::object trainer, SparseAutoencoder start)
      : trainer_(shared(std::move(trainer))), start_(std::move(start)) {}

  void step(std::span<const Index> rows, float rate) override {
    const py::gil_scoped_acquire locked;
    trainer_->attr("step")(indices_of(rows), rate);
  }
  std::vector<Index> take_uses() override {
    const py::gil_scoped_acquire locked;
    return trainer_->attr("take_uses")().cast<std::vector<Index>>();
  }
  void restart(std::span<const Index> features) override {
    const py::gil_scoped_acquire locked;
    trainer_->attr("restart")(indices_of(features));
  }
  SparseAutoencoder finish() override {
    const py::gil_scoped_acquire locked;
    const py::tuple found = trainer_->attr("finish")();
    start_.encoder = rows_of(found[0])->host();
    start_.decoder = rows_of(found[1])->host();
    return std::move(start_);
  }

 private:
  std::shared_ptr<py::object> trainer_;
  SparseAutoencoder start_;
};

}  // namespace

std::shared_ptr<AutoencoderTrainer> python_trainer(const py::object& start, const MatrixFRef& rows,
                                                   const SparseAutoencoder& from) {
  const py::tuple adam = py::make_tuple(AutoencoderTrainer::kMomentum, AutoencoderTrainer::kSquares,
                                        AutoencoderTrainer::kEpsilon);
  return std::make_shared<PythonTrainer>(
      start(view_of(rows), view_of(from.encoder), view_of(from.decoder), view_of(from.centre.transpose()),
            from.scale, from.active, adam),
      from);
}

}  // namespace atcav::python
