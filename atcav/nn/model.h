#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/nn/input_batch.h"
#include "atcav/nn/layer.h"

// A network from an ONNX file: activations at any layer, gradients of any logit there.
//
//   const nn::Model model = nn::Model::load("resnet50.onnx");
//   const std::size_t layer = model.find_layer("layer3");
//   MatrixF x = model.forward_to(std::array{layer}, {images})[0];              // n × d
//   MatrixF z = model.gradients(std::array{layer}, {images}, {340})[0];        // ∂ logit 340 / ∂ layer
//
// Several layers come out of one pass. For gradients the network is run without recording up to the
// layer, and only the rest is differentiated; weights never are.
namespace atcav::onnx {
struct Model;
}

namespace atcav::nn {

// How numbers are held and multiplied on the GPU; results are always float32. The CPU knows only fp32.
enum class Precision { fp32, tf32, bf16 };

// none: every element of the layer. mean: over positions (height and width; tokens of a sequence), which
// leaves the channels. The gradient that belongs to the mean is the sum over positions: it says how the
// logit changes when a channel grows by the same amount everywhere.
enum class Pool { none, mean };

struct LoadOptions {
  std::string device = "cpu";  // or "cuda", "cuda:1"
  int threads = 0;             // on the CPU; 0: as many as the process may use
  Precision precision = Precision::fp32;
  std::string output = {};  // tensor with the logits; empty: found, see Model::logits
  std::vector<Index> shape =
      {};            // of one example, for models that leave sizes open; empty: 224 × 224, 16 tokens
  Index batch = 32;  // examples run at once, which bounds the memory
  // What facts_of() said of the same file with the same options; only known/model.cpp uses it.
  std::string facts = {};
};

// Thrown by known/model.cpp, which knows a network but cannot run it, where it would have to. Not a
// std::exception: it is a request to start again with LibTorch and no error.
struct NeedsNetwork {};

class Model {
 public:
  // std::runtime_error for files that are damaged or use what is not supported (naming node and op);
  // std::invalid_argument for a device that is not there.
  static Model load(const std::filesystem::path& path, const LoadOptions& options = {});
  static Model from_graph(const onnx::Model& graph, const LoadOptions& options = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const std::vector<InputInfo>& inputs() const;
  // In execution order, from the input's first reader to the logits; tensors that hold something for
  // each example.
  const std::vector<Layer>& layers() const;
  std::size_t find_layer(std::string_view text) const { return nn::find_layer(layers(), text); }
  // The tensor that is differentiated, and how many logits it has per example.
  const std::string& logits() const;
  Index logit_count() const;
  // What the user should know: a Softmax stepped over, constants adapted to larger batches.
  const std::vector<std::string>& notes() const;

  // Columns of forward_to and gradients at this layer.
  Index columns(std::size_t layer, Pool pool) const;
  // One matrix per layer, one row per example. `inputs` in the order of inputs().
  std::vector<MatrixF> forward_to(std::span<const std::size_t> layers, const std::vector<InputBatch>& inputs,
                                  Pool pool = Pool::none) const;
  // Gradients of logit targets[i] for example i; a single target serves all examples.
  std::vector<MatrixF> gradients(std::span<const std::size_t> layers, const std::vector<InputBatch>& inputs,
                                 const std::vector<Index>& targets, Pool pool = Pool::none) const;
  MatrixF run_to_logits(const std::vector<InputBatch>& inputs) const;

 private:
  struct Parts;
  explicit Model(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace atcav::nn
