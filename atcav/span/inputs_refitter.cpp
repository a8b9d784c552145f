#include "atcav/span/inputs_refitter.h"

#include <utility>

namespace atcav::span {
namespace {

// A word for lists of row numbers, in order.
class Fingerprint {
 public:
  explicit Fingerprint(std::uint64_t kind) : value_(kind) {}
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

  std::uint64_t value_;
};

}  // namespace

const Matrix& SharedRefits::find(std::uint64_t key, const std::function<Matrix()>& make) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  return found != kept_.end() ? found->second : kept_.emplace(key, make()).first->second;
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

Matrix InputsRefitter::refits(Index count, const std::function<Choice(Index)>& choose, int threads) const {
  Fingerprint print(1);
  for (Index k = 0; k < count; ++k) {
    const Choice rows = choose(k);
    print.add(rows.random);
    print.add(rows.concept_rows);
  }
  return shared_->find(print.value(), [&] { return shared_->all().refits(count, choose, threads); })
      .middleCols(first_, inputs_);
}

Matrix InputsRefitter::relabelled_refits(Index count, const std::function<RowNumbers(Index)>& choose,
                                         int threads) const {
  Fingerprint print(2);
  for (Index k = 0; k < count; ++k) print.add(choose(k));
  return shared_
      ->find(print.value(), [&] { return shared_->all().relabelled_refits(count, choose, threads); })
      .middleCols(first_, inputs_);
}

}  // namespace atcav::span
