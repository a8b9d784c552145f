// docs/theory/significance.md and interval.md: level and power of the test of use, and what the intervals
// cover, in processes unlike the one they were derived for. Everything goes through score(), as a user's data
// do. ATCAV_REPEATS sets the problems per cell (the tables of the pages: 600); the bounds widen with the
// simulation's own error, so that few repeats make them weaker and never wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <mutex>

#include "atcav/base/parallel.h"
#include "atcav/run/arrays.h"
#include "atcav/span/mean_gradient.h"
#include "atcav/span/noise.h"
#include "atcav/stats/posterior.h"
#include "atcav/stats/significance.h"
#include "tests/simulation/use_process.h"

namespace atcav::simulation {
namespace {

Index repeats(Index usual) {
  const char* text = std::getenv("ATCAV_REPEATS");
  return text == nullptr ? usual : std::strtol(text, nullptr, 10);
}

// Whether the whole grid is asked for, or the part of it that `make test` has time for.
bool whole() { return std::getenv("ATCAV_REPEATS") != nullptr; }

struct Size {
  Index n_concept, n_random;
  double spread;
};
const std::vector<Size> kSizes = {{15, 600, 2}, {50, 300, 0.6}, {100, 100, 1},   {15, 600, 1}, {15, 600, 3},
                                  {50, 300, 1}, {50, 300, 2},   {100, 100, 0.6}, {100, 100, 3}};

Options light(stats::CavMethod method) {
  Options options;
  options.cav.method = method;
  options.bootstrap = stats::is_mean_difference(method) ? 200 : 20;
  options.permutations = 99;
  options.threads = 1;
  return options;
}

// One result per problem, in order, whatever the threads.
std::vector<std::pair<Drawn, Result>> solve(const Process& process, stats::CavMethod method, Index count) {
  std::vector<std::pair<Drawn, Result>> solved(static_cast<std::size_t>(count));
  parallel_for(count, 0, [&](Index i) {
    const auto number = static_cast<std::uint64_t>(i);
    Stream stream(11, {kTaskSimulation, static_cast<std::uint64_t>(process.rows), number});
    Drawn drawn = draw(process, stream);
    Result result = score({{"concept", drawn.concept_rows}}, drawn.random_rows, {{"class", drawn.gradients}},
                          light(method))
                        .results.front();
    solved[number] = {std::move(drawn), std::move(result)};
  });
  return solved;
}

struct Share {
  double value = 0;
  double error = 0;
};
Share share(double hits, Index count) {
  const auto n = static_cast<double>(count);
  const double p = hits / n;
  return {p, std::sqrt(std::max(p, 1 / n) * (1 - std::min(p, 1 - 1 / n)) / n)};
}

struct Levels {
  Share use_05, use_01, differs_05, welch_05;
};
Levels levels_of(const std::vector<std::pair<Drawn, Result>>& solved) {
  double use_05 = 0, use_01 = 0, differs = 0, welch = 0;
  for (const auto& [drawn, result] : solved) {
    const Significance& p = result.examples->significance;
    use_05 += p.use_p < 0.05;
    use_01 += p.use_p < 0.01;
    differs += p.differs_p <= 0.05;
    welch += p.welch_p < 0.05;
  }
  const auto n = static_cast<Index>(solved.size());
  return {share(use_05, n), share(use_01, n), share(differs, n), share(welch, n)};
}

void expect_within(const Share& found, double low, double high, const std::string& what) {
  EXPECT_GE(found.value, low - 3 * found.error) << what;
  EXPECT_LE(found.value,
            high + 3 * std::sqrt(high * (1 - high)) * found.error /
                       std::sqrt(std::max(found.value, 1e-9) * (1 - std::min(found.value, 1 - 1e-9)) + 1e-12))
      << what;
}

std::string words(const Process& process) {
  return fmt::format("{:<11} {:>3}/{:<3} spread {:<3} m {:>3} {}", name(process.rows), process.n_concept,
                     process.n_random, process.spread, process.inputs,
                     process.alike ? "used by no input " : "unused on average");
}

TEST(TestOfUse, KeepsItsLevelWhereTheConceptIsEncodedAndUnused) {
  const Index count = repeats(100);
  fmt::print("{} problems per cell: share of p below 0.05 and 0.01; differs and Welch below 0.05\n", count);
  const std::size_t sizes = whole() ? kSizes.size() : 3;
  const std::vector<Index> inputs = whole() ? std::vector<Index>{5, 20, 100} : std::vector<Index>{5, 20};
  double all = 0;
  Index cells = 0;
  for (const Rows rows : kAllRows) {
    for (std::size_t s = 0; s < sizes; ++s) {
      for (const Index m : inputs) {
        for (const bool alike : {false, true}) {
          const Process process{.rows = rows,
                                .n_concept = kSizes[s].n_concept,
                                .n_random = kSizes[s].n_random,
                                .spread = kSizes[s].spread,
                                .inputs = m,
                                .alike = alike};
          const Levels found = levels_of(solve(process, stats::CavMethod::kPattern, count));
          fmt::print("{}: {:.3f} ± {:.3f}  {:.3f} ± {:.3f}   differs {:.2f}  Welch {:.2f}\n", words(process),
                     found.use_05.value, found.use_05.error, found.use_01.value, found.use_01.error,
                     found.differs_05.value, found.welch_05.value);
          expect_within(found.use_05, 0.03, 0.075, words(process));
          expect_within(found.use_01, 0.003, 0.022, words(process));
          all += found.use_05.value;
          ++cells;
        }
      }
    }
  }
  fmt::print("mean over {} cells: {:.3f}\n", cells, all / static_cast<double>(cells));
  EXPECT_NEAR(all / static_cast<double>(cells), 0.05, 0.01);
}

TEST(TestOfUse, KeepsItsLevelWithEveryKindOfCav) {
  const Index count = whole() ? repeats(0) / 3 : 24;
  fmt::print("{} problems per cell\n", count);
  using enum stats::CavMethod;
  for (const stats::CavMethod method : {kFast, kRidge, kLogistic, kSvm}) {
    double hits = 0;
    Index problems = 0;
    for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
      for (std::size_t s = 0; s < 3; ++s) {
        if (!whole() && (s != 1 || rows == Rows::kT3)) continue;
        const Process process{.rows = rows,
                              .n_concept = kSizes[s].n_concept,
                              .n_random = kSizes[s].n_random,
                              .spread = kSizes[s].spread,
                              .dimension = 20};
        const Levels found = levels_of(solve(process, method, count));
        fmt::print("{:<8} {}: {:.3f} ± {:.3f}  {:.3f} ± {:.3f}\n", stats::name(method), words(process),
                   found.use_05.value, found.use_05.error, found.use_01.value, found.use_01.error);
        hits += found.use_05.value * static_cast<double>(count);
        problems += count;
      }
    }
    const Share mean = share(hits, problems);
    fmt::print("{:<8} all: {:.3f} ± {:.3f}\n", stats::name(method), mean.value, mean.error);
    // The jackknife overstates the noise of svm, whose support vectors change by the row: it errs on the safe
    // side.
    expect_within(mean, method == kSvm ? 0 : 0.03, 0.075, std::string(stats::name(method)));
  }
}

TEST(TestOfUse, FindsWhatIsThere) {
  const Index count = repeats(100);
  fmt::print("power at 0.05, {} problems per cell: use, differs, Welch\n", count);
  for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
    for (const double signal : {1.0, 2.0, 3.0, 5.0}) {
      const Process process{.rows = rows, .spread = 0.6, .signal = signal};
      const Levels found = levels_of(solve(process, stats::CavMethod::kPattern, count));
      fmt::print("{:<7} signal {}: {:.2f}  {:.2f}  {:.2f}\n", name(rows), signal, found.use_05.value,
                 found.differs_05.value, found.welch_05.value);
      // A t-test with these degrees of freedom finds 3 standard errors with probability 0.8 or more.
      if (signal >= 3) {
        EXPECT_GE(found.use_05.value, 0.72);
      }
    }
  }
}

TEST(Intervals, CoverInProcessesUnlikeTheirOwn) {
  const Index count = repeats(60);
  fmt::print("coverage of 95 % intervals, {} problems per cell\n", count);
  double logits = 0, d = 0, tcav = 0;
  Index cells = 0;
  for (const Rows rows : kAllRows) {
    for (std::size_t s = 0; s < 3; ++s) {
      for (const double signal : {0.0, 1.0, 3.0, 8.0}) {
        if (!whole() && (s == 2 || signal == 1)) continue;
        const Process process{.rows = rows,
                              .n_concept = kSizes[s].n_concept,
                              .n_random = kSizes[s].n_random,
                              .spread = kSizes[s].spread,
                              .signal = signal};
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
        fmt::print(
            "{:<11} {:>3}/{:<3} spread {:<3} signal {}: logits {:.3f}  d {:.3f}  TCAV {:.3f}  (± {:.3f}); "
            "found encoded {:.2f}\n",
            name(rows), process.n_concept, process.n_random, process.spread, signal, share_logits.value,
            share_d.value, share_tcav.value, share_logits.error, in_accuracy / static_cast<double>(count));
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

// Against the mean over problems of the same kind. The intervals count the rows that were scored, not the
// chance in which rows the CAVs were fitted on, so they hold that mean somewhat less often than 95 %; and a
// concept that is not there (shift 0) must rarely be called encoded.
TEST(Intervals, OfAccuracyAndAuc) {
  const Index count = repeats(60);
  fmt::print("coverage of the intervals of held-out accuracy and AUC, {} problems per cell\n", count);
  for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
    for (const Size& size : {kSizes[1], kSizes[2]}) {
      for (const double shift : {0.0, 1.0, 2.0}) {
        const Process process{.rows = rows,
                              .n_concept = size.n_concept,
                              .n_random = size.n_random,
                              .spread = size.spread,
                              .inputs = 2,
                              .shift = std::max(shift, 1e-9)};
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
        fmt::print(
            "{:<7} {:>3}/{:<3} spread {:<3} shift {}: accuracy {:.2f} {:.3f}  AUC {:.2f} {:.3f}  (± "
            "{:.3f})\n",
            name(rows), size.n_concept, size.n_random, size.spread, shift, accuracy, of_accuracy.value, auc,
            of_auc.value, of_accuracy.error);
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

// Many concepts at once, half of them used: every used one is found, and a false alarm among the others is
// rare.
TEST(TestOfUse, ManyConceptsAtOnce) {
  const Index runs = whole() ? 200 : 20;
  const Index each = whole() ? 500 : 50;
  std::vector<double> found(static_cast<std::size_t>(runs));
  std::vector<double> alarms(static_cast<std::size_t>(runs));
  parallel_for(runs, 0, [&](Index run) {
    const auto number = static_cast<std::size_t>(run);
    Stream stream(13, {kTaskSimulation, number});
    std::vector<double> p;
    for (Index c = 0; c < 2 * each; ++c) {
      const Drawn drawn = draw({.signal = c < each ? 12.0 : 0.0}, stream);
      const auto project = [&](const MatrixF& rows) {
        return span::Projections{
            drawn.gradients.cast<double>() * rows.cast<double>().transpose(), Vector::Ones(rows.rows()), {}};
      };
      const span::Projections random = project(drawn.random_rows);
      const span::Projections of_concept = project(drawn.concept_rows);
      const span::ClosedFormNoise noise(random, of_concept, false);
      const auto parts = *noise.parts_along(Vector::Constant(20, 0.05));
      const stats::MeanNoise mean{
          stats::VariancePart{parts.of_concept / 50, 49}, stats::VariancePart{parts.random / 300, 299}, {}};
      p.push_back(stats::measure_effect(of_concept.mean() - random.mean(), noise.input_errors(), mean,
                                        span::random_spread(random), 0.95)
                      .p);
    }
    const std::vector<double> corrected = stats::bonferroni(p);
    for (Index c = 0; c < 2 * each; ++c) {
      if (corrected[static_cast<std::size_t>(c)] >= 0.05) continue;
      (c < each ? found : alarms)[number] += 1;
    }
  });
  double families = 0, missed = 0;
  for (Index run = 0; run < runs; ++run) {
    families += alarms[static_cast<std::size_t>(run)] > 0;
    missed += static_cast<double>(each) - found[static_cast<std::size_t>(run)];
  }
  const Share error = share(families, runs);
  fmt::print(
      "{} runs of {} used and {} unused concepts: {} used ones missed in all; a false alarm in {:.3f} ± "
      "{:.3f} "
      "of the runs\n",
      runs, each, each, missed, error.value, error.error);
  EXPECT_LE(missed / static_cast<double>(runs * each), 0.001);
  EXPECT_LE(error.value, 0.05 + 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(runs)));
}

struct Calibration {
  std::vector<double> stated;
  std::vector<double> outcome;
  double ece() const {
    const auto n = static_cast<Index>(stated.size());
    return stats::reliability(Eigen::Map<const Vector>(stated.data(), n),
                              Eigen::Map<const Vector>(outcome.data(), n))
        .expected_calibration_error;
  }
  // Of the statements made with at least 95 %, how many are right, and how many there are.
  std::pair<double, double> sure() const {
    double right = 0, all = 0;
    for (std::size_t i = 0; i < stated.size(); ++i) {
      if (std::max(stated[i], 1 - stated[i]) < 0.95) continue;
      ++all;
      right += (stated[i] > 0.5) == (outcome[i] > 0.5);
    }
    return {all > 0 ? right / all : 1, all / static_cast<double>(stated.size())};
  }
};

TEST(Posterior, EmpiricalBayesIsTheBestCalibratedOfThree) {
  const Index count = repeats(60);
  fmt::print(
      "calibration error, and share right among statements of at least 95 % (share of all); {} problems\n",
      count);
  std::array<double, 3> errors = {};
  for (const Rows rows : kAllRows) {
    for (std::size_t s = 0; s < 3; ++s) {
      for (const double signal : {0.0, 3.0}) {
        const Process process{.rows = rows,
                              .n_concept = kSizes[s].n_concept,
                              .n_random = kSizes[s].n_random,
                              .spread = kSizes[s].spread,
                              .signal = signal,
                              .shift = 1};
        std::array<Calibration, 3> found;
        std::mutex adding;
        parallel_for(count, 0, [&](Index i) {
          Stream stream(17, {kTaskSimulation, static_cast<std::uint64_t>(i)});
          const Drawn drawn = draw(process, stream);
          const Matrix z = drawn.gradients.cast<double>();
          const auto project = [&](const MatrixF& x) {
            return span::Projections{z * x.cast<double>().transpose(), Vector::Ones(x.rows()), {}};
          };
          const span::Projections random = project(drawn.random_rows);
          const span::Projections of_concept = project(drawn.concept_rows);
          const span::ClosedFormNoise noise(random, of_concept, false);
          const Vector difference = of_concept.mean() - random.mean();
          const std::array<Vector, 3> p = {
              stats::flat_posterior(difference, noise.input_errors()),
              stats::empirical_bayes(difference, noise.input_errors()).probability,
              stats::shared_posterior(difference, noise.covariance(0, z.rows()), z * z.transpose())};
          const std::lock_guard lock(adding);
          for (std::size_t k = 0; k < 3; ++k) {
            for (Index j = 0; j < z.rows(); ++j) {
              found[k].stated.push_back(p[k](j));
              found[k].outcome.push_back(drawn.signs[static_cast<std::size_t>(j)] ? 1 : 0);
            }
          }
        });
        fmt::print("{:<11} {:>3}/{:<3} spread {:<3} signal {}:", name(rows), process.n_concept,
                   process.n_random, process.spread, signal);
        const char* names[] = {"flat", "empirical Bayes", "shared"};
        for (std::size_t k = 0; k < 3; ++k) {
          const auto [right, all] = found[k].sure();
          fmt::print("  {} {:.3f} {:.2f} ({:.2f})", names[k], found[k].ece(), right, all);
        }
        fmt::print("\n");
        for (std::size_t k = 0; k < 3; ++k) errors[k] += found[k].ece() / 30;
      }
    }
  }
  fmt::print("mean calibration error: flat {:.3f}, empirical Bayes {:.3f}, shared {:.3f}\n", errors[0],
             errors[1], errors[2]);
  EXPECT_LT(errors[1], errors[0]);
  EXPECT_LT(errors[1], errors[2]);
}

}  // namespace
}  // namespace atcav::simulation
