// docs/theory/significance.md, many at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "atcav/interval.h"
#include "core/parallel.h"
#include "fit/mean_gradient.h"
#include "fit/noise.h"
#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

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
      const auto [random, of_concept] = project(drawn);
      const fit::ClosedFormNoise noise(random, of_concept, false);
      const auto parts = *noise.parts_along(Vector::Constant(20, 0.05));
      const stats::MeanNoise mean{
          stats::VariancePart{parts.of_concept / 50, 49}, stats::VariancePart{parts.random / 300, 299}, {}};
      p.push_back(stats::measure_effect(of_concept.mean() - random.mean(), noise.input_errors(), mean,
                                        fit::random_spread(random), 0.95)
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

}  // namespace
}  // namespace atcav::simulation
