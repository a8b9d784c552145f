#include "fit/max_t.h"

#include <algorithm>
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

// Sum and sum of squares of a part of the rows.
struct Sums {
  double count = 0;
  double first = 0;
  double second = 0;
  double mean() const { return first / count; }
  double error_squared() const { return std::max(0.0, second - first * first / count) / (count - 1) / count; }
};

// A difference of means and the square of its error.
struct Moved {
  double difference = 0;
  double variance = 0;
};

Moved moved_apart(const Vector& all, const Sums& whole, const RowNumbers& concept_rows) {
  Sums chosen{static_cast<double>(concept_rows.size())};
  for (const Index row : concept_rows) {
    chosen.first += all(row);
    chosen.second += all(row) * all(row);
  }
  const Sums rest{whole.count - chosen.count, whole.first - chosen.first, whole.second - chosen.second};
  return {chosen.mean() - rest.mean(), chosen.error_squared() + rest.error_squared()};
}

// Row i and row i + n are a pair.
Moved moved_in_pairs(const Vector& all, const RowNumbers& concept_rows) {
  const auto n = static_cast<Index>(concept_rows.size());
  Sums chosen{static_cast<double>(n)};
  for (const Index row : concept_rows) {
    const double apart = all(row) - all((row + n) % (2 * n));
    chosen.first += apart;
    chosen.second += apart * apart;
  }
  return {chosen.mean(), chosen.error_squared()};
}

Sums sums_of(const VectorRef& values) {
  return {static_cast<double>(values.size()), values.sum(), values.squaredNorm()};
}

}  // namespace

Vector relabelled_t(const VectorRef& random, const VectorRef& of_concept, const VectorRef& inputs,
                    Index count, const ResamplingOptions& options, std::uint64_t class_key) {
  check_at_least("relabelled_t", "random rows", random.size(), 2);
  check_at_least("relabelled_t", "concept rows", of_concept.size(), 2);
  Vector all(random.size() + of_concept.size());
  all << random, of_concept;
  all.array() -= all.mean();
  const Sums whole = sums_of(all);
  const bool drawn = inputs.squaredNorm() > 0;
  const auto m = static_cast<double>(inputs.size());
  Vector t(count);
  parallel_for(count, options.threads, [&](Index k) {
    const RowNumbers dealt = dealt_rows(all.size(), of_concept.size(), k, options);
    auto [difference, variance] =
        options.paired ? moved_in_pairs(all, dealt) : moved_apart(all, whole, dealt);
    if (drawn) {
      Stream stream(options.seed, {kTaskInputs, class_key, static_cast<std::uint64_t>(k)});
      const Vector moved = inputs.cwiseProduct(stream.normal_matrix(inputs.size(), 1).col(0));
      difference += moved.mean();
      variance += (moved.array() - moved.mean()).square().sum() / (m - 1) / m;
    }
    t(k) = variance > 0 ? difference / std::sqrt(variance) : 0;
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
