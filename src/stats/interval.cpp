#include "atcav/interval.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/cpu_clones.h"
#include "core/parallel.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

// Columns of a matrix, each together: what ranks are found in.
using Columns = Eigen::MatrixXd;

constexpr Index kSortedAtOnce = 8;  // drawings
using Drawings [[gnu::vector_size(kSortedAtOnce * sizeof(double)), gnu::aligned(8), gnu::may_alias]] = double;
constexpr Index kMostInNetwork = 256;

// Block by block, so that what is read and what is written stay in the processor's cache.
Columns in_columns(const Matrix& rows) {
  constexpr Index kBlock = 32;
  Columns columns(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); i += kBlock) {
    const Index height = std::min(kBlock, rows.rows() - i);
    for (Index j = 0; j < rows.cols(); ++j) {
      for (Index k = i; k < i + height; ++k) columns(k, j) = rows(k, j);
    }
  }
  return columns;
}

struct Exchange {
  Index upper, lower;
};

// Batcher's odd-even merge sort: the same exchanges whatever the values, so that several drawings are sorted
// at once.
std::vector<Exchange> sorting_network(Index count) {
  std::vector<Exchange> network;
  for (Index p = 1; p < count; p *= 2) {
    for (Index k = p; k >= 1; k /= 2) {
      for (Index j = k % p; j + k < count; j += 2 * k) {
        for (Index i = 0; i < std::min(k, count - j - k); ++i) {
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) network.push_back({i + j, i + j + k});
        }
      }
    }
  }
  return network;
}

// values: element after element, kSortedAtOnce drawings each. The largest comes first.
ATCAV_CPU_CLONES
void sort_drawings(const Exchange* network, Index exchanges, double* values) {
  for (Index e = 0; e < exchanges; ++e) {
    Drawings* const upper = reinterpret_cast<Drawings*>(values + network[e].upper * kSortedAtOnce);
    Drawings* const lower = reinterpret_cast<Drawings*>(values + network[e].lower * kSortedAtOnce);
    const Drawings a = *upper;
    const Drawings b = *lower;
    *upper = a < b ? b : a;
    *lower = a < b ? a : b;
  }
}

// Each drawing (row of `noise`) sorted, the largest first: drawings × m, a rank's values together.
Columns ranked(const Columns& noise, int threads) {
  const Index count = noise.rows();
  const Index m = noise.cols();
  const std::vector<Exchange> network = m <= kMostInNetwork ? sorting_network(m) : std::vector<Exchange>{};
  Columns sorted(count, m);
  parallel_for((count + kSortedAtOnce - 1) / kSortedAtOnce, threads, [&](Index block) {
    const Index first = block * kSortedAtOnce;
    const Index own = std::min(kSortedAtOnce, count - first);
    std::vector<double> values(static_cast<std::size_t>(m * kSortedAtOnce));
    if (m <= kMostInNetwork) {
      for (Index k = 0; k < m; ++k) std::copy_n(&noise(first, k), own, &values[k * kSortedAtOnce]);
      sort_drawings(network.data(), std::ssize(network), values.data());
      for (Index k = 0; k < m; ++k) std::copy_n(&values[k * kSortedAtOnce], own, &sorted(first, k));
      return;
    }
    values.resize(static_cast<std::size_t>(m));
    for (Index b = first; b < first + own; ++b) {
      for (Index k = 0; k < m; ++k) values[k] = noise(b, k);
      std::sort(values.begin(), values.end(), std::greater<>());
      for (Index k = 0; k < m; ++k) sorted(b, k) = values[k];
    }
  });
  return sorted;
}

struct Ranked {
  double value = 0;
  Index drawing = 0;
};

// The `wanted` largest of a column and what ties with the last of them, falling. sign -1: the smallest, with
// their signs changed.
std::vector<Ranked> largest_of(const double* column, Index count, double sign, Index wanted) {
  std::vector<Ranked> found;
  found.reserve(static_cast<std::size_t>(2 * wanted));
  double least = -HUGE_VAL;
  for (Index b = 0; b < count; ++b) {
    const double value = sign * column[b];
    if (value < least) continue;
    const auto above = [](double one, const Ranked& other) { return one > other.value; };
    found.insert(std::upper_bound(found.begin(), found.end(), value, above), {value, b});
    if (std::ssize(found) < wanted) continue;
    least = found[wanted - 1].value;
    while (found.back().value < least) found.pop_back();
  }
  return found;
}

// What noise reaches with this error: by rank, a limit that the statistics must exceed. Each drawing counts
// at its most extreme rank, as how many drawings lie at or beyond it there, itself among them; limits are the
// r-th largest values of each rank, with r the number that all but a share `error` of drawings have.
Vector limits_of(const Columns& sorted, double sign, double error, int threads) {
  const Index count = sorted.rows();
  const Index m = sorted.cols();
  const auto allowed = static_cast<Index>(error * static_cast<double>(count));
  // A rank by itself has `allowed` + 1 drawings within that number, unless values tie; many ranks together
  // have them within far fewer.
  constexpr Index kFirstWanted = 4;
  for (Index wanted = std::min(kFirstWanted, count);; wanted = std::min(2 * wanted, count)) {
    std::vector<std::vector<Ranked>> extremes(static_cast<std::size_t>(m));
    parallel_for(m, threads,
                 [&](Index k) { extremes[k] = largest_of(sorted.col(k).data(), count, sign, wanted); });
    std::vector<Index> beyond(static_cast<std::size_t>(count), count + 1);
    for (const std::vector<Ranked>& own : extremes) {
      Index last = std::ssize(own) - 1;  // of those that tie
      for (Index i = last; i >= 0; --i) {
        if (own[i].value != own[last].value) last = i;
        Index& least = beyond[own[i].drawing];
        least = std::min(least, last + 1);
      }
    }
    std::ranges::nth_element(beyond, beyond.begin() + allowed);
    const Index r = beyond[allowed];
    if (r > wanted && wanted < count) continue;
    Vector limits(m);
    for (Index k = 0; k < m; ++k) limits(k) = extremes[k][r - 1].value;
    return limits;
  }
}

// How many of the statistics are surely above zero.
Index sure_positives(const Vector& statistics, const Vector& limits) {
  Index sure = 0;
  for (Index k = 0; k < statistics.size(); ++k)
    sure = std::max(sure, (statistics.array() > std::max(0.0, limits(k))).count() - k);
  return sure;
}

}  // namespace

Interval normal_interval(double value, double standard_error, double level) {
  check_fraction("normal_interval", "level", level);
  check_non_negative("normal_interval", "standard_error", standard_error);
  const double reach = normal_quantile((1 + level) / 2) * standard_error;
  return {std::clamp(value - reach, 0.0, 1.0), std::clamp(value + reach, 0.0, 1.0)};
}

Interval percentile_interval(std::vector<double> samples, double level) {
  check_fraction("percentile_interval", "level", level);
  check_at_least("percentile_interval", "samples", static_cast<Index>(samples.size()), 1);
  const auto at = [&samples](double fraction) {
    const double place = fraction * static_cast<double>(samples.size() - 1);
    const auto below = samples.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(samples.begin(), below, samples.end());
    const double next = below + 1 == samples.end() ? *below : *std::min_element(below + 1, samples.end());
    return *below + (place - std::floor(place)) * (next - *below);
  };
  return {at((1 - level) / 2), at((1 + level) / 2)};
}

Interval positive_share_interval(const VectorRef& sensitivities, const VectorRef& errors,
                                 const Matrix& resamples, double level, int threads) {
  check_fraction("positive_share_interval", "level", level);
  check_at_least("positive_share_interval", "resamples", resamples.rows(), 2);
  check_same("positive_share_interval", "values", "sensitivities", sensitivities.size(), "resamples",
             resamples.cols());
  const Index m = sensitivities.size();
  Vector statistics(m);
  Columns noise = in_columns(resamples);
  noise.rowwise() -= sensitivities.transpose();
  for (Index j = 0; j < m; ++j) {
    const double error = errors(j);
    statistics(j) = error > 0 ? sensitivities(j) / error : sensitivities(j) * HUGE_VAL;
    if (sensitivities(j) == 0) statistics(j) = 0;
    noise.col(j) *= error > 0 ? 1 / error : 0;
  }
  const Columns sorted = ranked(noise, threads);
  const double error = (1 - level) / 2;
  const Index positive = sure_positives(statistics, limits_of(sorted, 1, error, threads));
  // The k-th largest of the noise with its sign changed is the k-th smallest of the noise.
  const Index negative = sure_positives(-statistics, limits_of(sorted, -1, error, threads).reverse());
  return {static_cast<double>(positive) / static_cast<double>(m),
          1 - static_cast<double>(negative) / static_cast<double>(m)};
}

Interval share_interval(double successes, double trials, double level) {
  check_fraction("share_interval", "level", level);
  check_positive("share_interval", "trials", trials);
  const double z = normal_quantile((1 + level) / 2);
  const double share = successes / trials;
  const double centre = (successes + z * z / 2) / (trials + z * z);
  const double reach = z / (trials + z * z) * std::sqrt(share * (1 - share) * trials + z * z / 4);
  return {std::clamp(centre - reach, 0.0, share), std::clamp(centre + reach, share, 1.0)};
}

Interval mean_share_interval(double successes_a, double trials_a, double successes_b, double trials_b,
                             double level) {
  const Interval a = share_interval(successes_a, trials_a, level);
  const Interval b = share_interval(successes_b, trials_b, level);
  const double share_a = successes_a / trials_a;
  const double share_b = successes_b / trials_b;
  const double mean = (share_a + share_b) / 2;
  return {mean - std::hypot(share_a - a.low, share_b - b.low) / 2,
          mean + std::hypot(a.high - share_a, b.high - share_b) / 2};
}

Interval paired_change_interval(double gained, double lost, double trials, double level) {
  check_fraction("paired_change_interval", "level", level);
  check_positive("paired_change_interval", "trials", trials);
  const double n = trials + 2;
  const double change = (gained - lost) / n;
  const double error = std::sqrt((gained + lost + 1) / n - change * change) / std::sqrt(n);
  const double reach = normal_quantile((1 + level) / 2) * error;
  const double seen = (gained - lost) / trials;
  return {std::clamp(change - reach, -1.0, seen), std::clamp(change + reach, seen, 1.0)};
}

double two_sample_error(double variance_random, Index n_random, double variance_concept, Index n_concept) {
  check_at_least("two_sample_error", "n_random", n_random, 1);
  check_at_least("two_sample_error", "n_concept", n_concept, 1);
  return std::sqrt(variance_random / static_cast<double>(n_random) +
                   variance_concept / static_cast<double>(n_concept));
}

double mean_error(const VectorRef& terms) {
  check_at_least("mean_error", "terms", terms.size(), 1);
  if (terms.size() == 1) return 0;
  const auto m = static_cast<double>(terms.size());
  return std::sqrt((terms.array() - terms.mean()).square().sum() / (m - 1) / m);
}

}  // namespace atcav::stats
