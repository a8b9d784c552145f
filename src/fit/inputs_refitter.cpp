#include "fit/inputs_refitter.h"

#include <algorithm>
#include <utility>

namespace atcav::fit {
namespace {

// A word for lists of row numbers, in order.
class Fingerprint {
 public:
  void add(const RowNumbers& rows) {
    mix(rows.size());
    for (const Index row : rows) mix(static_cast<std::uint64_t>(row));
  }
  std::uint64_t value() const { return value_; }

 private:
  // A step of SplitMix64's output function: a bijection, so that what came before is not forgotten.
  void mix(std::uint64_t word) {
    value_ = (value_ ^ word) + 0x9e3779b97f4a7c15;
    value_ = (value_ ^ (value_ >> 30)) * 0xbf58476d1ce4e5b9;
    value_ = (value_ ^ (value_ >> 27)) * 0x94d049bb133111eb;
    value_ ^= value_ >> 31;
  }

  std::uint64_t value_ = 1;
};

std::uint64_t fingerprint(const Drawing& drawing) {
  Fingerprint print;
  for (Index k = 0; k < drawing.count; ++k) {
    const Choice rows = drawing.choose(k);
    print.add(rows.random);
    print.add(rows.concept_rows);
  }
  return print.value();
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
