// docs/theory/planning.md: a pilot, a plan from what it estimates, and a second experiment of the planned
// size. How often does that find the effect?
#include "atcav/planning.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "atcav/run.h"
#include "core/parallel.h"
#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

constexpr Index kColumns = 20;
constexpr Index kInputs = 40;
constexpr double kLevel = 0.95;
constexpr double kPower = 0.8;

// An effect of size d that inputs use by amounts which differ by a third.
stats::Effect experiment(Rows rows, double d, Index n_concept, Index n_random, Stream& stream) {
  Matrix gradients = stream.normal_matrix(kInputs, kColumns) / 10;
  gradients.col(0) += Vector::Ones(kInputs) + stream.normal_matrix(kInputs, 1) / 3;
  Matrix of_concept = draw_rows(rows, n_concept, kColumns, stream);
  of_concept.col(0).array() += d;
  Options options;
  options.bootstrap = 2;
  options.permutations = 1;
  options.runs = 2;
  options.threads = 1;
  return score({{"concept", of_concept.cast<float>()}},
               draw_rows(rows, n_random, kColumns, stream).cast<float>(),
               {{"class", gradients.cast<float>()}}, options)
      .results.front()
      .effect;
}

TEST(Planning, ReachesThePowerItPromises) {
  const Index count = repeats(100);
  fmt::print("share of planned experiments that find an effect d at 0.05; 0.80 is promised; {} a cell\n",
             count);
  double mean = 0;
  int cells = 0;
  for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
    for (const Index tests : {1, 20}) {
      for (const auto& [n_concept, n_random] : {std::pair<Index, Index>{15, 100}, {40, 200}}) {
        constexpr double kEffect = 0.5;
        std::vector<char> found(static_cast<std::size_t>(count));
        parallel_for(count, 0, [&](Index i) {
          Stream stream(
              41, {kTaskSimulation, static_cast<std::uint64_t>(rows),
                   static_cast<std::uint64_t>(tests * 1000 + n_concept), static_cast<std::uint64_t>(i)});
          const stats::Effect pilot = experiment(rows, kEffect, n_concept, n_random, stream);
          const double unit = pilot.unit * pilot.unit;
          const auto part = [&](double error, Index n) {
            return error * error * static_cast<double>(n) / unit;
          };
          const double wanted = stats::detecting_error(kEffect, kLevel, kPower, pilot.degrees, tests);
          const stats::Plan plan =
              stats::plan_cheapest({part(pilot.error_random, n_random), part(pilot.error_concept, n_concept),
                                    part(pilot.error_inputs, 1)},
                                   wanted);
          if (!plan.possible) return;
          const stats::Effect second = experiment(rows, kEffect, plan.n_concept, plan.n_random, stream);
          found[static_cast<std::size_t>(i)] = second.p < (1 - kLevel) / static_cast<double>(tests);
        });
        const Share power = share(static_cast<double>(std::ranges::count(found, 1)), count);
        fmt::print("{:<11} pilot {:>3}+{:<3} tests {:>2}: {:.3f} ± {:.3f}\n", name(rows), n_concept, n_random,
                   tests, power.value, power.error);
        expect_within(power, 0.78, 1, name(rows));
        mean += power.value;
        ++cells;
      }
    }
  }
  EXPECT_GE(mean / cells, 0.8);
}

}  // namespace
}  // namespace atcav::simulation
