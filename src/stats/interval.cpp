#include "atcav/interval.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <span>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

using Counts = Eigen::Array<Index, Eigen::Dynamic, 1>;

// What noise alone reaches, by rank. Column k of `by_rank` holds, in rising order, the k-th largest value of
// each drawing.
struct NoiseRanks {
  Eigen::MatrixXd by_rank;  // drawings × m
  // Of each drawing, at its most extreme rank: how many drawings lie at or beyond it, itself among them;
  // counted from above and from below, and sorted.
  Counts above;
  Counts below;
};

NoiseRanks rank_noise(Matrix noise, int threads) {
  const Index count = noise.rows();
  const Index m = noise.cols();
  parallel_for(count, threads, [&](Index b) {
    const std::span<double> row(noise.row(b).data(), static_cast<std::size_t>(m));
    std::sort(row.begin(), row.end(), std::greater<>());
  });
  NoiseRanks ranks{noise, Counts::Constant(count, count), Counts::Constant(count, count)};
  std::mutex merging;
  const Index workers = std::min<Index>(threads > 0 ? threads : available_threads(), m);
  parallel_for(workers, threads, [&](Index worker) {
    Counts above = Counts::Constant(count, count);
    Counts below = Counts::Constant(count, count);
    for (Index k = worker; k < m; k += workers) {
      auto column = ranks.by_rank.col(k);
      std::sort(column.begin(), column.end());
      for (Index b = 0; b < count; ++b) {
        const auto [first, last] = std::equal_range(column.begin(), column.end(), noise(b, k));
        above(b) = std::min<Index>(above(b), column.end() - first);
        below(b) = std::min<Index>(below(b), last - column.begin());
      }
    }
    const std::lock_guard lock(merging);  // the smallest is the same in any order
    ranks.above = ranks.above.min(above);
    ranks.below = ranks.below.min(below);
  });
  std::sort(ranks.above.begin(), ranks.above.end());
  std::sort(ranks.below.begin(), ranks.below.end());
  return ranks;
}

// How many of the statistics are surely above zero. limit(k, place): the value at a place in the rising order
// of the k-th largest of noise.
Index sure_positives(const Vector& statistics, const Counts& most_extreme, double error,
                     const std::function<double(Index k, Index place)>& limit) {
  const Index count = most_extreme.size();
  const Index place = count - most_extreme(static_cast<Index>(error * static_cast<double>(count)));
  Index sure = 0;
  for (Index k = 0; k < statistics.size(); ++k)
    sure = std::max(sure, (statistics.array() > std::max(0.0, limit(k, place))).count() - k);
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
  std::sort(samples.begin(), samples.end());
  const auto at = [&samples](double fraction) {
    const double place = fraction * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
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
  Matrix noise = resamples.rowwise() - sensitivities.transpose();
  for (Index j = 0; j < m; ++j) {
    const double error = errors(j);
    statistics(j) = error > 0 ? sensitivities(j) / error : sensitivities(j) * HUGE_VAL;
    if (sensitivities(j) == 0) statistics(j) = 0;
    noise.col(j) *= error > 0 ? 1 / error : 0;
  }
  const NoiseRanks ranks = rank_noise(std::move(noise), threads);
  const double error = (1 - level) / 2;
  const Index positive = sure_positives(statistics, ranks.above, error,
                                        [&](Index k, Index place) { return ranks.by_rank(place, k); });
  // The k-th largest of the noise with its sign changed is the k-th smallest of the noise.
  const Index negative = sure_positives(-statistics, ranks.below, error, [&](Index k, Index place) {
    return -ranks.by_rank(ranks.by_rank.rows() - 1 - place, m - 1 - k);
  });
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
