#include "pipeline/base_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace atcav {
namespace {

constexpr double kMostBytes = 1e9;  // of all bases, at all layers

}  // namespace

Base::Base(Session& session, const InterventionBases& bases, std::size_t number)
    : session_(session), bases_(bases), number_(number) {
  const Index wanted = std::min(bases.inputs, set().rows());
  while (inputs_ < wanted) {
    sizes_.push_back(set().inputs.block(inputs_, std::min(session.batch, wanted - inputs_)));
    inputs_ += sizes_.back();
  }
  double columns = 0;
  for (const ProbedLayer& layer : session.layers) columns += static_cast<double>(layer.what.size);
  all_layers_ = sizeof(float) * columns * static_cast<double>(inputs_ * std::ssize(bases.sets)) <= kMostBytes;
}

std::vector<std::size_t> Base::askable() const {
  if (number_ < bases_.targets.size()) return {number_};
  std::vector<std::size_t> classes;
  for (std::size_t k = 0; k < bases_.targets.size(); ++k) {
    if (!bases_.targets[k].per_input()) classes.push_back(k);
  }
  return classes;
}

std::string Base::key(std::size_t layer) const {
  std::string targets;
  for (const ClassTarget& target : bases_.targets) targets += target.text() + "\n";
  return fmt::format("at {}\nblocks {}\nbase {} of targets\n{}{}", session_.layers[layer].what.name,
                     fmt::join(sizes_, " "), number_, targets, fmt::join(set().hashes_of(0, inputs_), "\n"));
}

const std::vector<Base::Block>& Base::blocks(std::size_t layer) {
  if (blocks_.empty() && all_layers_) {
    read(session_.positions);
  } else if (!all_layers_ && (blocks_.empty() || layer != layer_)) {
    blocks_.clear();
    layer_ = layer;
    read({session_.positions[layer]});
  }
  return blocks_;
}

const Rows& Base::activations(const Block& block, std::size_t layer) const {
  return *block.layers[all_layers_ ? layer : 0];
}

Base::Answer Base::run(const Block& block, std::size_t layer, const model::Steps& steps,
                       const std::vector<std::size_t>& wanted) const {
  model::Model& network = session_.networks->first();
  const Rows& from = activations(block, layer);
  const std::size_t position = session_.positions[layer];
  if (wanted.empty())
    return {outputs(block.rows, network.logits_moved(position, from, steps, block.inputs)->host()), {}};
  std::vector<std::vector<Index>> logits;
  for (const std::size_t k : wanted) {
    const ClassTarget target = bases_.targets[k].of(block.rows);
    logits.push_back(target.logits);
    if (target.minus) logits.push_back({*target.minus});
  }
  const model::TailGradients found = network.tail_gradients(position, from, steps, block.inputs, logits);
  Answer answer{outputs(block.rows, found.logits->host()), {}};
  auto slope = found.gradients.begin();
  for (const std::size_t k : wanted) {
    Gradient& gradient = answer.gradients.emplace_back(Gradient{*slope++, nullptr, 1});
    if (bases_.targets[k].minus) gradient.minus = *slope++;
    if (bases_.targets[k].negative) gradient.sign = -1;
  }
  return answer;
}

MatrixF Base::outputs(const std::vector<Index>& rows, const MatrixF& logits) const {
  MatrixF wide(logits.rows(), columns());
  wide.leftCols(this->logits()) = logits;
  for (std::size_t k = 0; k < bases_.targets.size(); ++k) {
    auto column = wide.col(this->logits() + static_cast<Index>(k));
    if (bases_.targets[k].per_input() && number_ != k)
      column.setZero();
    else
      column = bases_.targets[k].of(rows).values(logits, 0);
  }
  return wide;
}

void Base::read(const std::vector<std::size_t>& positions) {
  model::Model& network = session_.networks->first();
  Index first = 0;
  for (const Index count : sizes_) {
    const bool last = first + count >= inputs_;
    set().inputs.expect(last ? set().rows() : first + count);
    for (const std::vector<Index>& group : set().inputs.groups(first, count)) {
      Block block{group, read_rows(set(), group), {}, {}, {}};
      model::WithLogits found = network.activations_with_logits(positions, block.inputs, model::Pool::kNone);
      block.layers = std::move(found.layers);
      block.outputs = outputs(group, found.logits->host());
      block.mask = network.token_mask(block.inputs);
      blocks_.push_back(std::move(block));
    }
    first += count;
  }
}

}  // namespace atcav
