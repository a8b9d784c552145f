#include <pybind11/stl.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "bind.h"
#include "model/layout.h"
#include "python_rows.h"
#include "python_trainer.h"

namespace atcav::python {
namespace {

namespace py = pybind11;
template <typename Values>
py::array numbers(const std::vector<Index>& shape, const Values& values) {
  return py::array_t<typename Values::value_type>(std::vector<py::ssize_t>(shape.begin(), shape.end()),
                                                  values.data());
}

// What read() of the examples gave, or arrays of what files held.
py::object to_python(const std::vector<model::InputBatch>& inputs) {
  if (!inputs.empty() && inputs.front().object) return *static_cast<py::object*>(inputs.front().object.get());
  py::list arrays;
  for (const model::InputBatch& batch : inputs) {
    arrays.append(batch.integers.empty() ? numbers(batch.shape, batch.reals)
                                         : numbers(batch.shape, batch.integers));
  }
  return arrays;
}

model::Facts facts_of(const py::dict& given) {
  model::Facts facts;
  for (const auto& input : given["inputs"]) {
    facts.inputs.push_back({input["name"].cast<std::string>(), input["shape"].cast<std::vector<Index>>(),
                            input["is_integer"].cast<bool>()});
  }
  for (const auto& layer : given["layers"]) {
    model::Layer one;
    one.name = layer["name"].cast<std::string>();
    one.shape = layer["shape"].cast<std::vector<Index>>();
    one.size = 1;
    for (const Index size : one.shape) one.size *= size;
    one.channels_first = layer["channels_first"].cast<bool>();
    one.pooled_size = model::pooled_size(one.shape, one.channels_first);
    facts.layers.push_back(std::move(one));
  }
  facts.logits = given["logits"].cast<std::string>();
  facts.logit_count = given["logit_count"].cast<Index>();
  facts.notes = given["notes"].cast<std::vector<std::string>>();
  facts.hash = given["hash"].cast<std::string>();
  return facts;
}

class PythonModel : public model::Model, public stats::TrainsAutoencoders {
 public:
  explicit PythonModel(py::object network)
      : facts_(facts_of(network.attr("facts"))),
        on_device_(network.attr("on_device").cast<bool>()),
        network_(shared(std::move(network))) {}

  const model::Facts& facts() const override { return facts_; }
  bool on_device() const override { return on_device_; }

  std::shared_ptr<pass::PassBackend> start_pass(const pass::BackendOptions& options,
                                                const Rows& first) const override {
    const auto* tensor = first.as<py::object>();
    if (tensor == nullptr) return nullptr;
    const py::gil_scoped_acquire locked;
    return python_pass(network_->attr("start_pass"), options, *tensor);
  }

  std::shared_ptr<stats::AutoencoderTrainer> start_autoencoder(
      const MatrixFRef& rows, const stats::SparseAutoencoder& start) const override {
    if (!on_device_) return nullptr;
    const py::gil_scoped_acquire locked;
    return python_trainer(network_->attr("start_autoencoder"), rows, start);
  }

  std::vector<std::string> remarks() const override {
    const py::gil_scoped_acquire locked;
    return network_->attr("remarks").cast<std::vector<std::string>>();
  }

  std::vector<RowsPtr> activations(std::span<const std::size_t> layers,
                                   const std::vector<model::InputBatch>& inputs, model::Pool pool) override {
    const py::gil_scoped_acquire locked;
    return each(network_->attr("activations")(list_of(layers), to_python(inputs), pool));
  }

  model::WithLogits gradients(std::span<const std::size_t> layers,
                              const std::vector<model::InputBatch>& inputs, const std::vector<Index>& targets,
                              model::Pool pool) override {
    const py::gil_scoped_acquire locked;
    const py::tuple found = network_->attr("gradients")(list_of(layers), to_python(inputs), targets, pool);
    return {each(found[0]), rows_of(py::object(found[1]))};
  }

  model::WithLogits activations_with_logits(std::span<const std::size_t> layers,
                                            const std::vector<model::InputBatch>& inputs,
                                            model::Pool pool) override {
    const py::gil_scoped_acquire locked;
    const py::tuple found =
        network_->attr("activations_with_logits")(list_of(layers), to_python(inputs), pool);
    return {each(found[0]), rows_of(py::object(found[1]))};
  }

  MatrixF token_mask(const std::vector<model::InputBatch>& inputs) override {
    const py::gil_scoped_acquire locked;
    const py::object found = network_->attr("token_mask")(to_python(inputs));
    return found.is_none() ? MatrixF() : MatrixF(rows_of(found)->host());
  }

  RowsPtr logits(const std::vector<model::InputBatch>& inputs) override {
    const py::gil_scoped_acquire locked;
    return rows_of(network_->attr("logits")(to_python(inputs)));
  }

  RowsPtr logits_from(std::size_t layer, const MatrixFRef& activations,
                      const std::vector<model::InputBatch>& inputs) override {
    const py::gil_scoped_acquire locked;
    return rows_of(network_->attr("logits_from")(layer, own_array(activations), to_python(inputs)));
  }

  RowsPtr logits_moved(std::size_t layer, const Rows& activations, const model::Steps& steps,
                       const std::vector<model::InputBatch>& inputs) override {
    const py::gil_scoped_acquire locked;
    return rows_of(network_->attr("logits_from")(layer, moved_there(activations, steps), to_python(inputs)));
  }

  model::TailGradients tail_gradients(std::size_t layer, const Rows& activations, const model::Steps& steps,
                                      const std::vector<model::InputBatch>& inputs,
                                      std::span<const std::vector<Index>> targets) override {
    const py::gil_scoped_acquire locked;
    const py::tuple found =
        network_->attr("tail_gradients")(layer, moved_there(activations, steps), to_python(inputs),
                                         std::vector<std::vector<Index>>(targets.begin(), targets.end()));
    return {rows_of(found[0]), each(found[1])};
  }

  std::unique_ptr<const model::HeldDirections> hold(const Matrix& directions) const override {
    if (!on_device_) return Model::hold(directions);
    const py::gil_scoped_acquire locked;
    return held_directions(network_->attr("hold"), directions);
  }

  Eigen::RowVectorXd sum(const Rows& rows, int threads) const override {
    const auto* tensor = rows.as<py::object>();
    if (tensor == nullptr) return Model::sum(rows, threads);
    const py::gil_scoped_acquire locked;
    return matrix_of(network_->attr("sum_of")(*tensor)).row(0);
  }

 private:
  static std::vector<std::size_t> list_of(std::span<const std::size_t> layers) {
    return {layers.begin(), layers.end()};
  }
  // The array owns its memory: PyTorch may keep it.
  static py::array own_array(const MatrixFRef& rows) {
    py::array_t<float> values({rows.rows(), rows.cols()});
    Eigen::Map<MatrixF>(values.mutable_data(), rows.rows(), rows.cols()) = rows;
    return values;
  }
  py::object moved_there(const Rows& activations, const model::Steps& steps) const {
    const auto* tensor = activations.as<py::object>();
    if (tensor == nullptr) return own_array(moved(activations, steps));
    return network_->attr("moved")(*tensor, view_of(steps.coefficients), view_of(steps.directions));
  }
  static std::vector<RowsPtr> each(const py::iterable& results) {
    std::vector<RowsPtr> rows;
    for (const auto& result : results) rows.push_back(rows_of(py::reinterpret_borrow<py::object>(result)));
    return rows;
  }

  model::Facts facts_;
  bool on_device_;  // whether rows stay there
  std::shared_ptr<py::object> network_;
};

// An input of an ONNX file: integers stay what they are, and are there as reals where the file wants those.
model::InputBatch numeric_batch(const py::array& array) {
  model::InputBatch batch;
  batch.shape.assign(array.shape(), array.shape() + array.ndim());
  const auto reals = Floats::ensure(array);
  if (!reals) throw py::error_already_set();
  batch.reals.assign(reals.data(), reals.data() + reals.size());
  if (array.dtype().kind() != 'f') {
    const auto integers = Integers::ensure(array);
    if (!integers) throw py::error_already_set();
    batch.integers.assign(integers.data(), integers.data() + integers.size());
  }
  return batch;
}

class PythonExamples : public model::ExampleSource {
 public:
  explicit PythonExamples(py::object examples)
      : rows_(examples.attr("rows").cast<Index>()),
        has_any_order_(examples.attr("has_any_order").cast<bool>()),
        examples_(shared(std::move(examples))) {}

  Index rows() const override { return rows_; }
  bool has_any_order() const override { return has_any_order_; }

  Index block(Index first, Index count) override {
    const py::gil_scoped_acquire locked;
    return examples_->attr("block")(first, count).cast<Index>();
  }

  std::vector<model::InputBatch> read(Index first, Index count) override {
    const py::gil_scoped_acquire locked;
    const py::tuple found = examples_->attr("read")(first, count);
    std::vector<model::InputBatch> batches;
    if (found[1].is_none()) {
      for (const auto& array : found[0]) batches.push_back(numeric_batch(array.cast<py::array>()));
      return batches;
    }
    batches.emplace_back();
    batches.front().shape = {count};
    batches.front().object = shared(found[0]);
    batches.front().hashes = found[1].cast<std::vector<std::string>>();
    return batches;
  }

 private:
  Index rows_;
  bool has_any_order_;
  std::shared_ptr<py::object> examples_;
};

}  // namespace

std::shared_ptr<model::Model> python_model(py::object network) {
  return std::make_shared<PythonModel>(std::move(network));
}

std::shared_ptr<model::ExampleSource> python_examples(py::object examples) {
  return std::make_shared<PythonExamples>(std::move(examples));
}

}  // namespace atcav::python
