#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atcav/examples.h"
#include "atcav/matrix.h"

// The tensors at which a network can be probed, and the modules that produce them.
namespace atcav::model {

struct Layer {
  std::string name;            // of the tensor
  std::string node;            // that computes it
  std::string op;              // "Conv"
  std::string path;            // innermost module of the node: "layer3.0.conv1"; may be empty
  std::vector<Index> shape;    // of one example, without the batch
  Index size = 0;              // d: the product of the shape
  Index pooled_size = 0;       // columns after pooling over positions
  bool channels_first = true;  // channels × positions rather than positions × channels
};

// A module of the network as its author named it, and the tensor that it produces.
struct Module {
  std::string name;       // "layer3.0.conv1", as in model.named_modules()
  std::string type;       // "Conv2d"; empty where the file does not say
  std::size_t layer = 0;  // position among the layers
  std::string note;       // for the user: a folded BatchNorm, several calls; or empty
};

// What is known of a network without running it. Stored beside cached activations, it lets a run use them
// without the network.

struct Facts {
  std::vector<InputInfo> inputs;
  // In execution order, from the input's first reader to the logits; tensors that hold something for each
  // example.
  std::vector<Layer> layers;
  std::vector<Module> modules;  // that have a layer as their result, parents before their parts
  std::string logits;           // the tensor that is differentiated
  Index logit_count = 0;
  std::vector<std::string> notes;  // for the user: a skipped Softmax, adapted constants
  std::string hash;                // SHA-256 of the network's content: cache keys and results.json
  std::vector<std::string> files;  // with weights, where they lie apart from the model's own file
};

std::string write_facts(const Facts& facts);
// std::runtime_error for text that write_facts cannot have written: inconsistent sizes, modules of unknown
// layers. Names are bytes and are restored as such.
Facts read_facts(const std::string& text);

}  // namespace atcav::model

// A network as atcav uses it: facts, activations at layers, gradients of a logit there, logits from a layer
// on. The implementation on LibTorch is a plugin (open_onnx); callers may bring their own, and tests use
// closed-form networks.
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

// How activations are moved: example j by Σᵢ coefficients(j, i) · directionᵢ. Steps are a few numbers per
// example; the sums are formed where the activations are.
struct Steps {
  MatrixF coefficients;  // examples × r, or one row for all
  MatrixF directions;    // r × d, or below each other r blocks with a direction for each example
};
// Activations in memory, moved.
MatrixF moved(const Rows& activations, const Steps& steps);

// Directions that many rows are multiplied by, held where a network leaves its rows; in memory here. The
// matrix must outlive this.
class HeldDirections {
 public:
  explicit HeldDirections(const Matrix& directions) : directions_(directions) {}
  virtual ~HeldDirections() = default;
  HeldDirections(const HeldDirections&) = delete;
  HeldDirections& operator=(const HeldDirections&) = delete;
  // rows · directionsᵀ in double. Threads (0: all available) change nothing.
  virtual Matrix products(const Rows& rows, int threads) const;

 private:
  const Matrix& directions_;
};

// Activations or gradients at the layers, and the logits of the examples.
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
  // A pass (src/pass/backend.h) on the device that holds the activations; `first` are the first of them.
  // Null: the pass runs on the CPU.
  virtual std::shared_ptr<pass::PassBackend> start_pass(const pass::BackendOptions& /*options*/,
                                                        const Rows& /*first*/) const {
    return nullptr;
  }
  // Whether rows stay on a device. Precision is a setting of the process there, so network and pass share one
  // thread.
  virtual bool on_device() const { return false; }
  // 1 where a token of these inputs counts, 0 elsewhere: examples × tokens. Empty: all count.
  virtual MatrixF token_mask(const std::vector<InputBatch>& inputs);
  // Events that are no errors: a batch that was halved.
  virtual std::vector<std::string> remarks() const { return {}; }
  // Examples × logits.
  virtual RowsPtr logits(const std::vector<InputBatch>& inputs) = 0;
  // The same with the layer's activations replaced by these (examples × d, not pooled). `inputs` feed the
  // paths that bypass the layer and may be empty if there are none.
  virtual RowsPtr logits_from(std::size_t layer, const MatrixFRef& activations,
                              const std::vector<InputBatch>& inputs) = 0;
  // The same with activations of an earlier call, moved; on the device, if they are there.
  virtual RowsPtr logits_moved(std::size_t layer, const Rows& activations, const Steps& steps,
                               const std::vector<InputBatch>& inputs) {
    return logits_from(layer, moved(activations, steps), inputs);
  }
  // The same with gradients at the layer, where it was moved to: of logit targets[t][i] for example i (a
  // single one serves all examples), examples × d, not pooled. The network is run from the layer on, once.
  virtual TailGradients tail_gradients(std::size_t layer, const Rows& activations, const Steps& steps,
                                       const std::vector<InputBatch>& inputs,
                                       std::span<const std::vector<Index>> targets) = 0;
  // Arithmetic on rows where they lie, of which little comes back: products with directions that are sent
  // there once, and the sum of rows in double. Threads change nothing.
  virtual std::unique_ptr<const HeldDirections> hold(const Matrix& directions) const {
    return std::make_unique<HeldDirections>(directions);
  }
  virtual Eigen::RowVectorXd sum(const Rows& rows, int threads) const;
};

// Networks from ONNX files, run by LibTorch in the plugin libatcav_torch.so. It is opened (dlopen,
// RTLD_LOCAL) by the first call and never before: loading LibTorch costs up to half a second and 170 MB, and
// its symbols must not stand in for ours.
//
// The plugin is the file that the environment variable ATCAV_PLUGIN names; without it, it is looked for
// beside the program, in ../lib/atcav and ../lib (or what the installation calls lib), and in the same places
// seen from the shared library that this code is part of, if it is part of one; then where the linker looks.
// Programs that link the installed package have its folder in their rpath.

// The format of numbers and products on the GPU; results are always float32. The CPU has only fp32.
enum class Precision { kFp32, kTf32, kBf16 };

// Where a network runs.
struct Device {
  bool gpu = false;
  int number = -1;  // of the GPU; −1: ranks on one machine take theirs in turn
  bool operator==(const Device&) const = default;
};
// cpu, cuda or cuda:1, or several: as users type it, and back. std::invalid_argument for other text.
std::string device_text(const std::vector<Device>& devices);
std::vector<Device> read_devices(const std::string& text);

struct OpenOptions {
  Device device = {};
  int threads = 0;  // on the CPU; 0: as many as the process may use
  Precision precision = Precision::kFp32;
  std::string output = {};  // tensor with the logits; empty: found
  // Of one example, per input, for models that leave sizes open; without: 224 × 224, 16 tokens.
  std::vector<std::vector<Index>> shapes = {};
  std::map<std::string, std::vector<Index>> named_shapes = {};  // the same, by the input's name
  Index batch = 32;    // examples run at once, which bounds the memory
  double memory = 0;   // gigabytes for tensors on the CPU; 0: nine tenths of what is available
  int local_rank = 0;  // among the ranks on this machine
};

// std::runtime_error for damaged files, unsupported operators (naming node and op) and a missing plugin or
// LibTorch; std::invalid_argument for a device that is not available.
std::unique_ptr<Model> open_onnx(const std::string& path, const OpenOptions& options);

// "LibTorch 1.13.1": the library behind open_onnx, part of cache keys. Known without loading it.
std::string onnx_engine();

}  // namespace atcav::model
