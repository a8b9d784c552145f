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
  const auto& [random, of_concept] = sets;
  const Index n = random.sums.size() + of_concept.sums.size();
  check_at_least("relabelled_t", "random rows", random.sums.size(), 2);
  check_at_least("relabelled_t", "concept rows", of_concept.sums.size(), 2);
  Vector sums(n), counts(n);
  sums << random.sums, of_concept.sums;
  counts << random.counts, of_concept.counts;
  sums -= sums.sum() / counts.sum() * counts;
  Sums whole;
  for (Index i = 0; i < n; ++i) whole.add(sums(i), counts(i));
  const double few_groups = random.grouped ? static_cast<double>(n) / static_cast<double>(n - 1) : 1;
  const bool drawn = inputs.squaredNorm() > 0;
  const auto m = static_cast<double>(inputs.size());
  const Index of_label = of_concept.sums.size();
  const bool grouped = random.grouped || of_concept.grouped;
  const bool labels_known = known.labels != nullptr && std::ssize(*known.labels) == count && !grouped;
  const bool inputs_known =
      known.inputs != nullptr && known.inputs->rows() == count && known.inputs->cols() == inputs.size();
  std::vector<SumAndSquare> plain(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) plain[i] = SumAndSquare{sums(i), sums(i) * sums(i)};
  Vector t(count);
  const bool rows_known = labels_known && !options.paired;
  const auto relabel = [&](Index k, const SumAndSquare& of_rows, Vector& moved) {
    RowNumbers own;
    if (!labels_known) own = dealt_rows(n, of_label, k, options);
    const RowNumbers& dealt = labels_known ? (*known.labels)[static_cast<std::size_t>(k)] : own;
    Moved found;
    if (options.paired) {
      found = moved_in_pairs(sums, dealt);
    } else {
      Sums chosen;
      if (grouped) {
        for (const Index i : dealt) chosen.add(sums(i), counts(i));
      } else {  // every count is 1
        const auto rows = static_cast<double>(dealt.size());
        SumAndSquare both = of_rows;
        for (std::size_t i = 0; !rows_known && i < dealt.size(); ++i) both += plain[dealt[i]];
        chosen = {rows, both[0], both[1], both[0], rows};
      }
      const Sums rest = whole - chosen;
      found = {chosen.mean() - rest.mean(), few_groups * (chosen.error_squared() + rest.error_squared())};
    }
    auto [difference, variance] = found;
    if (drawn) {
      if (inputs_known) {
        moved = inputs.cwiseProduct(known.inputs->row(k).transpose());
      } else {
        Stream stream(options.seed, {kTaskInputs, class_key, static_cast<std::uint64_t>(k)});
        moved = inputs.cwiseProduct(stream.normal_matrix(inputs.size(), 1).col(0));
      }
      difference += moved.mean();
      variance += (moved.array() - moved.mean()).square().sum() / (m - 1) / m;
    }
    t(k) = variance > 0 ? difference / std::sqrt(variance) : 0;
  };
  constexpr Index kAtOnce = 64;
  parallel_for((count + kAtOnce - 1) / kAtOnce, options.threads, [&](Index task) {
    Vector moved(inputs.size());
    const Index end = std::min(count, (task + 1) * kAtOnce);
    for (Index first = task * kAtOnce; first < end; first += kSideBySide) {
      SideBySide sums{};
      if (rows_known) sums = add_side_by_side(*known.labels, first, end, plain);
      for (Index k = first; k < std::min(end, first + kSideBySide); ++k)
        relabel(k, sums[static_cast<std::size_t>(k - first)], moved);
    }
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
