#include "atcav/nn/model.h"

#include "atcav/base/check.h"
#include "atcav/nn/model_facts.h"

// nn::Model without LibTorch, for a program that finds activations and gradients in the cache: it says what
// was said before and asks for the other implementation where numbers are wanted.
namespace atcav::nn {

struct Model::Parts : ModelFacts {
  explicit Parts(ModelFacts&& facts) : ModelFacts(std::move(facts)) {}
};

Model::Model(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::filesystem::path& /*path*/, const LoadOptions& options) {
  if (options.facts.empty()) throw NeedsNetwork();
  return Model(std::make_unique<Parts>(read_facts(options.facts)));
}

const std::vector<InputInfo>& Model::inputs() const { return parts_->inputs; }
const std::vector<Layer>& Model::layers() const { return parts_->layers; }
const std::string& Model::logits() const { return parts_->logits; }
Index Model::logit_count() const { return parts_->logit_count; }
const std::vector<std::string>& Model::notes() const { return parts_->notes; }

Index Model::columns(std::size_t layer, Pool pool) const {
  return pool == Pool::none ? parts_->layers.at(layer).size : parts_->pooled_columns.at(layer);
}

std::vector<MatrixF> Model::forward_to(std::span<const std::size_t> /*layers*/,
                                       const std::vector<InputBatch>& /*inputs*/, Pool /*pool*/) const {
  throw NeedsNetwork();
}

std::vector<MatrixF> Model::gradients(std::span<const std::size_t> /*layers*/,
                                      const std::vector<InputBatch>& /*inputs*/,
                                      const std::vector<Index>& /*targets*/, Pool /*pool*/) const {
  throw NeedsNetwork();
}

}  // namespace atcav::nn
