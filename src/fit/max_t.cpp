#include "fit/max_t.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"
#include "fit/permutation.h"

namespace atcav::fit {
namespace {

// Ties count as extreme; rounding must not break them.
constexpr double kSame = 1e-12;

// Of a part of what is dealt: enough for its mean and for Σ_g (sum_g - count_g·mean)².
struct Sums {
  double rows = 0;
  double values = 0;
  double squares = 0;   // of the groups' sums
  double products = 0;  // of their sums and counts
  double squared_counts = 0;

  void add(double sum, double count) {
    rows += count;
    values += sum;
    squares += sum * sum;
    products += sum * count;
    squared_counts += count * count;
  }
  Sums operator-(const Sums& part) const {
    return {rows - part.rows, values - part.values, squares - part.squares, products - part.products,
            squared_counts - part.squared_counts};
  }
  double mean() const { return values / rows; }
  double error_squared() const {
    const double around = squares - 2 * mean() * products + mean() * mean() * squared_counts;
    return std::max(0.0, around) / rows / (rows - 1);
  }
};

// Of a row that is its own group: added up in one step.
using SumAndSquare [[gnu::vector_size(2 * sizeof(double))]] = double;

constexpr Index kSideBySide = 4;  // relabellings whose sums do not wait for each other
using SideBySide = std::array<SumAndSquare, kSideBySide>;

// Of the relabellings first …, each over the rows dealt to the concept, in their order.
SideBySide add_side_by_side(const std::vector<RowNumbers>& dealt, Index first, Index end,
                            const std::vector<SumAndSquare>& rows) {
  std::array<const Index*, kSideBySide> lists;
  for (Index l = 0; l < kSideBySide; ++l)
    lists[l] = dealt[static_cast<std::size_t>(std::min(first + l, end - 1))].data();
  SideBySide sums{};
  const auto count = static_cast<Index>(dealt[static_cast<std::size_t>(first)].size());
  for (Index i = 0; i < count; ++i) {
    for (Index l = 0; l < kSideBySide; ++l) sums[l] += rows[lists[l][i]];
  }
  return sums;
}

// A difference of means and the square of its error.
struct Moved {
  double difference = 0;
  double variance = 0;
};

// Row i and row i + n are a pair.
Moved moved_in_pairs(const Vector& all, const RowNumbers& concept_rows) {
  const auto n = static_cast<Index>(concept_rows.size());
  Vector apart(n);
  for (Index i = 0; i < n; ++i) {
    const Index row = concept_rows[static_cast<std::size_t>(i)];
    apart(i) = all(row) - all((row + n) % (2 * n));
  }
  const double mean = apart.mean();
  return {mean, (apart.array() - mean).square().sum() / static_cast<double>(n - 1) / static_cast<double>(n)};
}

// One test under relabellings.
class Relabelling {
 public:
  Relabelling(const DealtSets& sets, const VectorRef& inputs, Index count, const ResamplingOptions& options,
              std::uint64_t class_key, const RelabelDraws& known)
      : inputs_(inputs),
        options_(options),
        class_key_(class_key),
        of_label_(sets.of_concept.sums.size()),
        grouped_(sets.random.grouped || sets.of_concept.grouped),
        sums_(sets.random.sums.size() + of_label_),
        counts_(sums_.size()) {
    sums_ << sets.random.sums, sets.of_concept.sums;
    counts_ << sets.random.counts, sets.of_concept.counts;
    sums_ -= sums_.sum() / counts_.sum() * counts_;
    const Index n = sums_.size();
    for (Index i = 0; i < n; ++i) whole_.add(sums_(i), counts_(i));
    if (sets.random.grouped) few_groups_ = static_cast<double>(n) / static_cast<double>(n - 1);
    if (known.labels != nullptr && std::ssize(*known.labels) == count && !grouped_) labels_ = known.labels;
    if (known.inputs != nullptr && known.inputs->rows() == count && known.inputs->cols() == inputs.size())
      draws_ = known.inputs;
    for (Index i = 0; i < n; ++i) plain_.push_back(SumAndSquare{sums_(i), sums_(i) * sums_(i)});
  }

  // t of the relabellings first … end-1, at most kSideBySide.
  void fill(Index first, Index end, Vector& moved, Vector& t) const {
    const bool summed = labels_ != nullptr && !options_.paired;
    const SideBySide sums = summed ? add_side_by_side(*labels_, first, end, plain_) : SideBySide{};
    for (Index k = first; k < end; ++k) {
      Moved found = summed ? apart(of_rows(sums[static_cast<std::size_t>(k - first)])) : of_dealt(k);
      if (inputs_.squaredNorm() > 0) add_inputs(k, moved, found);
      t(k) = found.variance > 0 ? found.difference / std::sqrt(found.variance) : 0;
    }
  }

 private:
  // Every count is 1.
  Sums of_rows(const SumAndSquare& both) const {
    const auto rows = static_cast<double>(of_label_);
    return {rows, both[0], both[1], both[0], rows};
  }

  Moved of_dealt(Index k) const {
    const RowNumbers dealt = labels_ != nullptr ? (*labels_)[static_cast<std::size_t>(k)]
                                                : dealt_rows(sums_.size(), of_label_, k, options_);
    if (options_.paired) return moved_in_pairs(sums_, dealt);
    Sums chosen;
    SumAndSquare both{};
    for (const Index i : dealt) {
      if (grouped_)
        chosen.add(sums_(i), counts_(i));
      else
        both += plain_[static_cast<std::size_t>(i)];
    }
    return apart(grouped_ ? chosen : of_rows(both));
  }

  Moved apart(const Sums& chosen) const {
    const Sums rest = whole_ - chosen;
    return {chosen.mean() - rest.mean(), few_groups_ * (chosen.error_squared() + rest.error_squared())};
  }

  void add_inputs(Index k, Vector& moved, Moved& found) const {
    const auto m = static_cast<double>(inputs_.size());
    if (draws_ != nullptr) {
      moved = inputs_.cwiseProduct(draws_->row(k).transpose());
    } else {
      Stream stream(options_.seed, {kTaskInputs, class_key_, static_cast<std::uint64_t>(k)});
      moved = inputs_.cwiseProduct(stream.normal_matrix(inputs_.size(), 1).col(0));
    }
    found.difference += moved.mean();
    found.variance += (moved.array() - moved.mean()).square().sum() / (m - 1) / m;
  }

  const VectorRef& inputs_;
  const ResamplingOptions& options_;
  std::uint64_t class_key_;
  Index of_label_;
  bool grouped_;
  Vector sums_, counts_;  // of all that is dealt, around the mean
  Sums whole_;
  double few_groups_ = 1;
  const std::vector<RowNumbers>* labels_ = nullptr;  // if they are known
  const Matrix* draws_ = nullptr;
  std::vector<SumAndSquare> plain_;
};

}  // namespace

DealtRows dealt_rows_of(const VectorRef& along, const Groups& groups) {
  if (groups.empty()) return {along, Vector::Ones(along.size())};
  DealtRows dealt{Vector::Zero(groups.count), Vector::Zero(groups.count), true};
  for (Index row = 0; row < along.size(); ++row) {
    const Index group = groups.of_row[static_cast<std::size_t>(row)];
    dealt.sums(group) += along(row);
    dealt.counts(group) += 1;
  }
  return dealt;
}

Matrix input_draws(Index inputs, Index count, std::uint64_t seed, std::uint64_t class_key, int threads) {
  Matrix draws(count, inputs);
  parallel_for(count, threads, [&](Index k) {
    Stream stream(seed, {kTaskInputs, class_key, static_cast<std::uint64_t>(k)});
    for (double& value : draws.row(k)) value = stream.normal();
  });
  return draws;
}

Vector relabelled_t(const DealtSets& sets, const VectorRef& inputs, Index count,
                    const ResamplingOptions& options, std::uint64_t class_key, const RelabelDraws& known) {
  check_at_least("relabelled_t", "random rows", sets.random.sums.size(), 2);
  check_at_least("relabelled_t", "concept rows", sets.of_concept.sums.size(), 2);
  const Relabelling relabelling(sets, inputs, count, options, class_key, known);
  Vector t(count);
  constexpr Index kAtOnce = 64;
  parallel_for((count + kAtOnce - 1) / kAtOnce, options.threads, [&](Index task) {
    Vector moved(inputs.size());
    const Index end = std::min(count, (task + 1) * kAtOnce);
    for (Index first = task * kAtOnce; first < end; first += kSideBySide)
      relabelling.fill(first, std::min(end, first + kSideBySide), moved, t);
  });
  return t;
}

void LargestT::add(const VectorRef& t) {
  const std::lock_guard lock(adding_);
  if (empty()) {
    largest_ = t.cwiseAbs();
  } else {
    check_same("LargestT", "relabellings", "the tests before", largest_.size(), "this one", t.size());
    largest_ = largest_.cwiseMax(t.cwiseAbs());
  }
}

double LargestT::p(double t) const {
  const Index extreme = (largest_.array() >= std::abs(t) * (1 - kSame)).count();
  return static_cast<double>(1 + extreme) / static_cast<double>(1 + largest_.size());
}

double LargestT::critical(double level) const {
  std::vector<double> sorted(largest_.begin(), largest_.end());
  const auto place =
      static_cast<Index>(std::ceil(level * static_cast<double>(largest_.size() + 1) * (1 - kSame)));
  if (place > largest_.size()) return HUGE_VAL;
  const auto at = sorted.begin() + std::max<Index>(place - 1, 0);
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

}  // namespace atcav::fit
