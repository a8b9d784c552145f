#include "fit/inputs_refitter.h"

#include <algorithm>
#include <utility>

#include "atcav/random.h"

namespace atcav::fit {
namespace {

// Of what was drawn, or else of the lists of row numbers, in order.
std::uint64_t fingerprint(const Drawing& drawing) {
  if (drawing.key != 0) return drawing.key;
  std::uint64_t print = 0;
  const auto add = [&](std::uint64_t word) { print = Stream(print, {word}).next(); };
  for (Index k = 0; k < drawing.count; ++k) {
    const Choice rows = drawing.choose(k);
    for (const RowNumbers* list : {&rows.random, &rows.concept_rows}) {
      add(list->size());
      for (const Index row : *list) add(static_cast<std::uint64_t>(row));
    }
  }
  return print;
}

}  // namespace

std::vector<const Matrix*> SharedRefits::find(const std::vector<Drawing>& drawings, int threads) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> unknown;
  std::vector<Drawing> missing;
  for (const Drawing& drawing : drawings) {
    keys.push_back(fingerprint(drawing));
    if (kept_.contains(keys.back()) || std::ranges::find(unknown, keys.back()) != unknown.end()) continue;
    unknown.push_back(keys.back());
    missing.push_back(drawing);
  }
  std::vector<Matrix> made = all_->refit_all(missing, threads);
  for (std::size_t i = 0; i < made.size(); ++i) kept_.emplace(unknown[i], std::move(made[i]));
  std::vector<const Matrix*> found;
  found.reserve(keys.size());
  for (const std::uint64_t key : keys) found.push_back(&kept_.at(key));
  return found;
}

InputsRefitter::InputsRefitter(std::shared_ptr<const SharedRefits> shared, Index first, Index count)
    : Refitter(shared->all().random_rows(), shared->all().concept_rows()),
      shared_(std::move(shared)),
      first_(first),
      inputs_(count) {}

Vector InputsRefitter::sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const {
  return shared_->all().sensitivities(random, concept_rows).segment(first_, inputs_);
}

Vector InputsRefitter::full() const { return shared_->all().full().segment(first_, inputs_); }

std::vector<Matrix> InputsRefitter::refit_all(const std::vector<Drawing>& drawings, int threads) const {
  std::vector<Matrix> own;
  for (const Matrix* all : shared_->find(drawings, threads))
    own.emplace_back(all->middleCols(first_, inputs_));
  return own;
}

}  // namespace atcav::fit
