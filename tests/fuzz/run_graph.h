#pragma once

#include "plugins/torch/memory_limit.h"
#include "plugins/torch/torch_model.h"
#include "tests/fuzz/choices.h"

// A graph as a user would run it.
namespace atcav::fuzz {

// Opened, layers computed and differentiated from the first one on: numbers, or std::runtime_error or
// std::invalid_argument, nothing else. Tensors may take 200 MB together, as with --memory.
inline void run_graph(const onnx::Model& graph, Choices& choose) {
  static const bool limited = (plugin::limit_tensor_memory(2e8), true);
  if (!limited) return;
  const auto model = plugin::make_torch_model(graph, {.threads = 1, .batch = 4});
  std::vector<model::InputBatch> inputs;
  for (const model::InputInfo& info : model->facts().inputs) {
    model::InputBatch& batch = inputs.emplace_back();
    batch.shape = info.shape;
    Index count = 1;
    for (Index& size : batch.shape) {
      if (size < 0) size = 4;
      if (&size == batch.shape.data()) size = 2;
      count *= size;
      if (count > 1'000'000) throw std::runtime_error("[fuzz] the input is too large");
    }
    for (Index i = 0; i < count; ++i) {
      if (info.is_integer) {
        batch.integers.push_back(choose.next() % 2);
      } else {
        batch.reals.push_back(static_cast<float>(choose.next()) / 64 - 2);
      }
    }
  }
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < model->facts().layers.size() && i < 20; ++i) layers.push_back(i);
  if (layers.empty()) return;
  for (const RowsPtr& rows : model->activations(layers, inputs, model::Pool::kNone)) rows->host();
  for (const RowsPtr& rows :
       model->gradients(std::array{layers.front()}, inputs, {0}, model::Pool::kMean).layers)
    rows->host();
}

template <typename Body>
int only_expected_errors(Body body) {
  try {
    body();
  } catch (const std::runtime_error&) {
    return 0;
  } catch (const std::invalid_argument&) {
    return 0;
  }
  return 0;
}

}  // namespace atcav::fuzz
