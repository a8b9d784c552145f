// docs/theory/significance.md: do the intervals of adding and of taking away hold what they promise, does a
// concept without effect stay without one, and how often does a verdict find a use that is not there?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/simulation/network_process.h"
#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

// How often intervals hold the truth; of erasure also how often they hold its mean at these numbers of
// examples, which is nearer to 0: noise in δ makes it gentler.
struct Coverage {
  double odd_random = 0, odd_class = 0, even_random = 0, inputs_only = 0, erased = 0, erased_here = 0;
  double standardised = 0;
  double moves = 0, erasing_moves = 0;
};

Coverage cover(const NetworkProcess& process, Index count) {
  const NetworkTruth truth = truth_of(process);
  const std::vector<Result> results = run_all(process, count);
  const double one = 1 / static_cast<double>(count);
  double mean = 0;
  for (const Result& result : results) mean += one * result.erasure->change;
  Coverage found;
  const auto holds = [&](double low, double high, double value) {
    return low <= value && value <= high ? one : 0;
  };
  for (const Result& result : results) {
    const DoseResponse& random = *result.intervention->random;
    const DoseResponse& of_class = result.intervention->of_class;
    const stats::Interval& erased = result.erasure->interval;
    found.odd_random += holds(random.low[2], random.high[2], truth.odd_random);
    found.odd_class += holds(of_class.low[2], of_class.high[2], truth.odd_class);
    found.even_random += holds(random.even_low[2], random.even_high[2], truth.even_random);
    const double reach = 2 * random.error_inputs[2];
    found.inputs_only += holds(random.odd[2] - reach, random.odd[2] + reach, truth.odd_random);
    found.erased += holds(erased.low, erased.high, truth.erased);
    found.erased_here += holds(erased.low, erased.high, mean);
    const stats::Interval& standardised = result.effect.standardised->interval;
    found.standardised += holds(standardised.low, standardised.high, truth.standardised);
    found.moves += random.p[2] < 0.05 ? one : 0;
    found.erasing_moves += result.erasure->p < 0.05 ? one : 0;
  }
  return found;
}

TEST(Network, IntervalsOfAddingAndTakingAwayCover) {
  const Index count = repeats(60);
  const double error = std::sqrt(0.05 * 0.95 / static_cast<double>(count));
  fmt::print("coverage at 95 %, {} runs a cell, one standard error {:.3f}\n", count, error);
  fmt::print("{:39} {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6} | {:>5} {:>5}\n", "tail, strength, rows, sizes",
             "random", "class", "even", "(inp.)", "erase", "(here)", "first", "moves", "erase");
  for (const Tail tail : {Tail::kLinear, Tail::kMlp}) {
    for (const double strength : {0.0, 0.3, 2.0}) {
      for (const auto& [n_concept, n_random, inputs] :
           {std::tuple<Index, Index, Index>{30, 200, 10}, {100, 1000, 64}, {50, 300, 30}}) {
        if (!whole() && inputs == 30) continue;
        const NetworkProcess process{tail, strength, n_concept, n_random, inputs};
        const Coverage found = cover(process, count);
        fmt::print("{:39} {:6.3f} {:6.3f} {:6.3f} {:7.3f} {:6.3f} {:6.3f} {:6.3f} | {:5.3f} {:5.3f}\n",
                   words(process), found.odd_random, found.odd_class, found.even_random, found.inputs_only,
                   found.erased, found.erased_here, found.standardised, found.moves, found.erasing_moves);
        const auto expect_covered = [&](double covered) {
          EXPECT_GE(covered, 0.93 - 3 * error) << words(process);
        };
        expect_covered(found.odd_random);
        expect_covered(found.odd_class);
        expect_covered(found.erased_here);
        expect_covered(found.standardised);
        if (strength == 0) {
          expect_within(share(found.moves * static_cast<double>(count), count), 0, 0.07, words(process));
          expect_within(share(found.erasing_moves * static_cast<double>(count), count), 0, 0.07,
                        words(process));
        }
      }
    }
  }
}

// The concept is encoded in all of them and none uses it on average.
TEST(Network, VerdictsKeepTheirLevel) {
  const Index count = repeats(100);
  fmt::print("share of verdicts that find a use, at 0.05, {} runs a cell\n", count);
  fmt::print("{:39} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "tail, strength, rows, sizes", "verdict", "±",
             "first", "adding", "taking", "warned");
  for (const Tail tail : {Tail::kLinear, Tail::kMlp, Tail::kSkewed, Tail::kSplit}) {
    for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
      const bool own_use = tail == Tail::kSkewed || tail == Tail::kSplit;
      // Their use is 0 on average only where the column that decides it is normal.
      if (own_use && rows != Rows::kNormal) continue;
      for (const Index inputs : {10, 20, 64}) {
        if (!whole() && inputs == 20) continue;
        const NetworkProcess process{tail, 0, 50, 300, inputs, rows};
        double used = 0, first = 0, adding = 0, taking = 0, warned = 0;
        for (const Result& result : run_all(process, count)) {
          const auto& lines = result.verdict.evidence;
          first += lines[0].says != Use::kNoEvidence;
          adding += lines[1].says != Use::kNoEvidence;
          taking += lines[2].says != Use::kNoEvidence;
          if (result.verdict.use == Use::kNoEvidence) continue;
          ++used;
          warned += std::ranges::any_of(result.warnings, [](const std::string& warning) {
            return warning.find("alarms too often") != std::string::npos ||
                   warning.find("evenly spread") != std::string::npos;
          });
        }
        const Share found = share(used, count);
        fmt::print("{:39} {:7.3f} {:7.3f} {:7.3f} {:7.3f} {:7.3f} {:7.3f}\n", words(process), found.value,
                   found.error, share(first, count).value, share(adding, count).value,
                   share(taking, count).value, used > 0 ? warned / used : 1.0);
        if (!own_use) expect_within(found, 0.02, 0.07, words(process));
      }
    }
  }
}

}  // namespace
}  // namespace atcav::simulation
