// docs/theory/interval.md: what the intervals cover, in processes unlike the one they were derived for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "atcav/run.h"
#include "core/parallel.h"
#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

TEST(Intervals, CoverInProcessesUnlikeTheirOwn) {
  const Index count = repeats(60);
  fmt::print("coverage of 95 % intervals, {} problems per cell\n", count);
  double logits = 0, d = 0, tcav = 0;
  Index cells = 0;
  for (const Rows rows : kAllRows) {
    for (std::size_t s = 0; s < 3; ++s) {
      for (const double signal : {0.0, 1.0, 3.0, 8.0}) {
        if (!whole() && (s == 2 || signal == 1)) continue;
        const Process process{.rows = rows, .size = kSizes[s], .signal = signal};
        double in_logits = 0, in_d = 0, in_tcav = 0, in_accuracy = 0;
        for (const auto& [drawn, result] : solve(process, stats::CavMethod::kPattern, count)) {
          const auto holds = [](const stats::Interval& i, double x) { return i.low <= x && x <= i.high; };
          in_logits += holds(result.effect.interval, drawn.logits);
          in_d += holds(result.effect.d_interval, drawn.d);
          in_tcav += holds(result.intervals.at("tcav").interval, drawn.positive);
          in_accuracy += result.examples->accuracy.encoded();
        }
        const Share share_logits = share(in_logits, count);
        const Share share_d = share(in_d, count);
        const Share share_tcav = share(in_tcav, count);
        fmt::print("{} signal {}: logits {:.3f}  d {:.3f}  TCAV {:.3f}  (± {:.3f}); found encoded {:.2f}\n",
                   cell(process), signal, share_logits.value, share_d.value, share_tcav.value,
                   share_logits.error, in_accuracy / static_cast<double>(count));
        EXPECT_GE(share_logits.value, 0.92 - 3 * share_logits.error);
        EXPECT_GE(share_d.value, 0.90 - 3 * share_d.error);
        EXPECT_GE(share_tcav.value, 0.94 - 3 * share_tcav.error);
        logits += share_logits.value;
        d += share_d.value;
        tcav += share_tcav.value;
        ++cells;
      }
    }
  }
  const auto n = static_cast<double>(cells);
  fmt::print("mean: logits {:.3f}  d {:.3f}  TCAV {:.3f}\n", logits / n, d / n, tcav / n);
  EXPECT_NEAR(logits / n, 0.95, 0.02);
  EXPECT_NEAR(d / n, 0.95, 0.025);
}

// S̄ in logits of fitted directions has the noise of the step from mean to mean too. Against the mean over
// problems of the same kind; every input uses the concept alike, so that only examples are noisy.
TEST(Intervals, OfLogitsForEveryKindOfCav) {
  const Index count = repeats(60);
  constexpr Index kColumns = 20;
  fmt::print("coverage of S̄ in logits, {} problems per cell\n", count);
  for (const auto method : {stats::CavMethod::kRidge, stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
    for (const auto& sizes : {std::pair<Index, Index>{40, 100}, {100, 400}}) {
      const Index n_concept = sizes.first;  // clang 14 captures no structured bindings
      const Index n_random = sizes.second;
      for (const double shift : {1.0, 3.0}) {
        if (!whole() && (n_concept == 100 || (method == stats::CavMethod::kSvm && shift == 1))) continue;
        std::vector<stats::Effect> found(static_cast<std::size_t>(count));
        parallel_for(count, 0, [&](Index i) {
          Stream stream(19, {kTaskSimulation, static_cast<std::uint64_t>(i)});
          Matrix of_concept = stream.normal_matrix(n_concept, kColumns);
          of_concept.col(0).array() += shift;
          Matrix gradients = stream.normal_matrix(10, kColumns) / 100;
          gradients.col(0).array() += 1;
          Options options;
          options.cav.method = method;
          options.bootstrap = 2;
          options.permutations = 1;
          options.runs = 2;
          options.threads = 1;
          found[static_cast<std::size_t>(i)] =
              score({{"c", of_concept.cast<float>()}}, stream.normal_matrix(n_random, kColumns).cast<float>(),
                    {{"class", gradients.cast<float>()}}, options)
                  .results.front()
                  .effect;
        });
        double mean = 0, hits = 0;
        for (const stats::Effect& effect : found) mean += effect.logits / static_cast<double>(count);
        for (const stats::Effect& effect : found)
          hits += effect.interval.low <= mean && mean <= effect.interval.high;
        const Share covered = share(hits, count);
        fmt::print("{:<8} {:>3}+{:<3} shift {}: logits {:.3f}, covered {:.3f} ± {:.3f}\n",
                   stats::name(method), n_concept, n_random, shift, mean, covered.value, covered.error);
        EXPECT_GE(covered.value, 0.92 - 3 * covered.error);
      }
    }
  }
}

// Against the mean over problems of the same kind. The intervals count the rows that were scored, not the
// chance in which rows the CAVs were fitted on, so they hold that mean somewhat less often than 95 %; and a
// concept that is not there (shift 0) must rarely be called encoded.
TEST(Intervals, OfAccuracyAndAuc) {
  const Index count = repeats(60);
  fmt::print("coverage of the intervals of held-out accuracy and AUC, {} problems per cell\n", count);
  for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
    for (const Size& size : {kSizes[1], kSizes[2]}) {
      for (const double shift : {0.0, 1.0, 2.0}) {
        const Process process{.rows = rows, .size = size, .inputs = 2, .shift = std::max(shift, 1e-9)};
        double accuracy = 0, auc = 0;
        const auto solved = solve(process, stats::CavMethod::kPattern, count);
        for (const auto& [drawn, result] : solved) {
          accuracy += result.examples->accuracy.held_out / static_cast<double>(count);
          auc += result.examples->accuracy.auc / static_cast<double>(count);
        }
        double in_accuracy = 0, in_auc = 0, encoded = 0;
        for (const auto& [drawn, result] : solved) {
          const Accuracy& found = result.examples->accuracy;
          in_accuracy += found.interval.low <= accuracy && accuracy <= found.interval.high;
          in_auc += found.auc_interval.low <= auc && auc <= found.auc_interval.high;
          encoded += found.encoded();
        }
        const Share of_accuracy = share(in_accuracy, count);
        const Share of_auc = share(in_auc, count);
        fmt::print("{} shift {}: accuracy {:.2f} {:.3f}  AUC {:.2f} {:.3f}  (± {:.3f})\n", cell(process),
                   shift, accuracy, of_accuracy.value, auc, of_auc.value, of_accuracy.error);
        const Share alarms = share(encoded, count);
        fmt::print("  called encoded: {:.3f} ± {:.3f}\n", alarms.value, alarms.error);
        if (shift == 0) {
          // Sets of different spreads do differ; those of one law must rarely be told apart.
          EXPECT_LE(alarms.value, (size.spread == 1 ? 0.05 : 0.1) + 3 * alarms.error);
        } else {
          EXPECT_GE(of_accuracy.value, 0.8 - 3 * of_accuracy.error);
          EXPECT_GE(of_auc.value, 0.8 - 3 * of_auc.error);
        }
      }
    }
  }
}

}  // namespace
}  // namespace atcav::simulation
