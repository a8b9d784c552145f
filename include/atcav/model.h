#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atcav/facts.h"
#include "atcav/input_batch.h"
#include "atcav/matrix.h"
#include "atcav/rows.h"

// What a network is to atcav: facts, activations at layers, gradients of a logit there, logits from a layer
// onwards. LibTorch's implementation comes as a plugin (include/atcav/open_onnx.h); any other will do, and
// tests bring functions whose answers are known.
//
//   std::unique_ptr<Model> model = model::open_onnx("resnet50.onnx", {});
//   const std::array layers{model::find_layer(model->facts(), "layer3").position};
//   RowsPtr x = model->activations(layers, {images}, Pool::kNone)[0];       // n × d
//   RowsPtr z = model->gradients(layers, {images}, {340}, Pool::kNone).layers[0];  // ∂ logit 340 / ∂ layer
namespace atcav::pass {
class PassBackend;
struct BackendOptions;
}  // namespace atcav::pass

namespace atcav::model {

// Gradients behind a layer: one entry per target.
struct TailGradients {
  RowsPtr logits;
  std::vector<RowsPtr> gradients;
};

// What is kept of a layer with positions (height and width; tokens of a sequence). Where the network has an
// attention mask, masked tokens do not count. The gradient that belongs to a pooled activation:
//   kNone   every element of the layer
//   kMean   over positions, which leaves the channels. The sum of the gradient over positions: how the logit
//           changes when a channel grows by the same amount everywhere
//   kMax    the largest position of each channel; the gradient there
//   kFirst, kLast, at(n)   one token (a BERT's [CLS]; a GPT's last; counted from 0); the gradient there
// Layers without positions are left whole.
struct Pool {
  enum class Kind { kWhole, kMean, kMax, kToken };
  Kind kind = Kind::kWhole;
  Index token = 0;  // −1: the last

  static const Pool kNone, kMean, kMax, kFirst, kLast;
  static constexpr Pool at(Index token) { return {Kind::kToken, token}; }
  bool operator==(const Pool&) const = default;
};
inline constexpr Pool Pool::kNone{Kind::kWhole, 0};
inline constexpr Pool Pool::kMean{Kind::kMean, 0};
inline constexpr Pool Pool::kMax{Kind::kMax, 0};
inline constexpr Pool Pool::kFirst{Kind::kToken, 0};
inline constexpr Pool Pool::kLast{Kind::kToken, -1};

// none, mean, max, cls (the first token), last, or a token's number: as users type it, and back.
// std::invalid_argument for other text.
std::string pool_text(Pool pool);
Pool read_pool(const std::string& text);
bool is_pool(const std::string& text);

// What was asked for at the layers, and the logits of the examples.
struct WithLogits {
  std::vector<RowsPtr> layers;
  RowsPtr logits;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const Facts& facts() const = 0;

  // `layers` are positions in facts().layers, `inputs` one batch per entry of facts().inputs. One result per
  // layer, one row per example; several layers come out of one forward pass.
  virtual std::vector<RowsPtr> activations(std::span<const std::size_t> layers,
                                           const std::vector<InputBatch>& inputs, Pool pool) = 0;
  // Gradients of logit targets[i] for example i; a single target serves all examples. With the logits.
  virtual WithLogits gradients(std::span<const std::size_t> layers, const std::vector<InputBatch>& inputs,
                               const std::vector<Index>& targets, Pool pool) = 0;
  virtual WithLogits activations_with_logits(std::span<const std::size_t> layers,
                                             const std::vector<InputBatch>& inputs, Pool pool) {
    return {activations(layers, inputs, pool), logits(inputs)};
  }
  // A pass (src/pass/backend.h) that is computed where the network leaves its activations, of which `first`
  // are the first. Null: on the CPU.
  virtual std::shared_ptr<pass::PassBackend> start_pass(const pass::BackendOptions& /*options*/,
                                                        const Rows& /*first*/) const {
    return nullptr;
  }
  // Whether rows stay on a device. Its precision belongs to the process, so one thread hands over network and
  // pass in turn.
  virtual bool on_device() const { return false; }
  // 1 where a token of these inputs counts, 0 elsewhere: examples × tokens. Empty: all count.
  virtual MatrixF token_mask(const std::vector<InputBatch>& inputs);
  // What happened on the way without being an error: a batch that was halved.
  virtual std::vector<std::string> remarks() const { return {}; }
  // Examples × logits.
  virtual RowsPtr logits(const std::vector<InputBatch>& inputs) = 0;
  // The same with the layer's activations replaced by these (examples × d, not pooled). `inputs` feed what
  // goes round the layer and may be empty where nothing does.
  virtual RowsPtr logits_from(std::size_t layer, const MatrixFRef& activations,
                              const std::vector<InputBatch>& inputs) = 0;
  // The same with activations of an earlier call, moved by `steps` (a row per example, or one for all): where
  // that left them, there it stays.
  virtual RowsPtr logits_moved(std::size_t layer, const Rows& activations, const MatrixF& steps,
                               const std::vector<InputBatch>& inputs) {
    const auto at = activations.host();
    return logits_from(layer, steps.rows() == 1 ? MatrixF(at.rowwise() + steps.row(0)) : MatrixF(at + steps),
                       inputs);
  }
  // The same with gradients at the layer, where it was moved to: of logit targets[t][i] for example i (a
  // single one serves all examples), examples × d, not pooled. The network is run from the layer on, once.
  virtual TailGradients tail_gradients(std::size_t layer, const Rows& activations, const MatrixF& steps,
                                       const std::vector<InputBatch>& inputs,
                                       std::span<const std::vector<Index>> targets) = 0;
};

}  // namespace atcav::model
