#pragma once

#include <span>
#include <string>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/base/rows.h"
#include "atcav/model/facts.h"
#include "atcav/model/input_batch.h"

// What a network is to atcav: facts, activations at layers, gradients of a logit there, logits from a layer
// onwards. LibTorch's implementation comes as a plugin (model/open_onnx.h); any other will do, and tests
// bring functions whose answers are known.
//
//   std::unique_ptr<Model> model = model::open_onnx("resnet50.onnx", {});
//   const std::size_t layer = model::find_layer(model->facts().layers, "layer3");
//   RowsPtr x = model->activations(std::array{layer}, {images}, Pool::kNone)[0];       // n × d
//   RowsPtr z = model->gradients(std::array{layer}, {images}, {340}, Pool::kNone)[0];  // ∂ logit 340 / ∂
//   layer
namespace atcav::model {

// kNone: every element of the layer. kMean: over positions (height and width; tokens of a sequence), which
// leaves the channels. The gradient that belongs to the mean is the sum over positions: it says how the
// logit changes when a channel grows by the same amount everywhere.
enum class Pool { kNone, kMean };

class Model {
 public:
  virtual ~Model() = default;
  virtual const Facts& facts() const = 0;

  // `layers` are positions in facts().layers, `inputs` one batch per entry of facts().inputs. One result per
  // layer, one row per example; several layers come out of one forward pass.
  virtual std::vector<RowsPtr> activations(std::span<const std::size_t> layers,
                                           const std::vector<InputBatch>& inputs, Pool pool) = 0;
  // Gradients of logit targets[i] for example i; a single target serves all examples.
  virtual std::vector<RowsPtr> gradients(std::span<const std::size_t> layers,
                                         const std::vector<InputBatch>& inputs,
                                         const std::vector<Index>& targets, Pool pool) = 0;
  // What happened on the way without being an error: a batch that was halved.
  virtual std::vector<std::string> remarks() const { return {}; }
  // Examples × logits.
  virtual RowsPtr logits(const std::vector<InputBatch>& inputs) = 0;
  // The same with the layer's activations replaced by these (examples × d, not pooled). `inputs` feed what
  // goes round the layer and may be empty where nothing does.
  virtual RowsPtr logits_from(std::size_t layer, const MatrixFRef& activations,
                              const std::vector<InputBatch>& inputs) = 0;
};

}  // namespace atcav::model
