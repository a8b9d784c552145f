// docs/theory/significance.md: level and power of the test of use.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

void print_levels(const std::string& what, const Levels& found, bool others = true) {
  fmt::print("{}: {:.3f} ± {:.3f}  {:.3f} ± {:.3f}", what, found.use_05.value, found.use_05.error,
             found.use_01.value, found.use_01.error);
  if (others) fmt::print("   differs {:.2f}  Welch {:.2f}", found.differs_05.value, found.welch_05.value);
  fmt::print("\n");
  std::fflush(stdout);
}

// Where all cells are run, resampling is left out: with it they would take five times as long.
TEST(TestOfUse, KeepsItsLevelWhereTheConceptIsEncodedAndUnused) {
  const Index count = repeats(100);
  fmt::print("{} problems per cell: share of p below 0.05 and 0.01{}\n", count,
             whole() ? "" : "; differs and Welch below 0.05");
  const std::size_t sizes = whole() ? kSizes.size() : 3;
  const std::vector<Index> inputs = whole() ? std::vector<Index>{5, 20, 100} : std::vector<Index>{5, 20};
  double all_05 = 0, all_01 = 0;
  Index cells = 0, outside = 0;
  for (const Rows rows : kAllRows) {
    for (std::size_t s = 0; s < sizes; ++s) {
      for (const Index m : inputs) {
        for (const bool alike : {false, true}) {
          const Process process{.rows = rows, .size = kSizes[s], .inputs = m, .alike = alike};
          const Levels found =
              levels_of(solve(process, stats::CavMethod::kPattern, count, 19, /*resampled=*/!whole()));
          print_levels(words(process), found, /*others=*/!whole());
          expect_within(found.use_05, kLow05, kHigh05, words(process));
          expect_within(found.use_01, kLow01, kHigh01, words(process));
          outside += is_within(found) ? 0 : 1;
          all_05 += found.use_05.value;
          all_01 += found.use_01.value;
          ++cells;
        }
      }
    }
  }
  const auto n = static_cast<double>(cells);
  fmt::print("mean over {} cells: {:.4f}, {:.4f}; outside {}–{} or {}–{}: {}\n", cells, all_05 / n,
             all_01 / n, kLow05, kHigh05, kLow01, kHigh01, outside);
  EXPECT_NEAR(all_05 / n, 0.05, 0.01);
  // Fewer problems put cells outside by chance.
  if (count >= 2000) {
    EXPECT_LE(outside, cells / 100);
  }
}

class EveryKindOfCav : public testing::TestWithParam<stats::CavMethod> {};

TEST_P(EveryKindOfCav, KeepsItsLevel) {
  const stats::CavMethod method = GetParam();
  const Index count = whole() ? repeats(0) / 4 : 12;
  fmt::print("{} problems per cell\n", count);
  double hits_05 = 0, hits_01 = 0;
  Index problems = 0;
  std::uint64_t seed = 30;
  for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
    for (std::size_t s = 0; s < 3; ++s) {
      if (!whole() && (s != 1 || rows == Rows::kT3)) continue;
      for (const bool alike : {false, true}) {
        const Process process{.rows = rows, .size = kSizes[s], .alike = alike, .dimension = 20};
        // Another seed for each cell: their problems are added up.
        const Levels found = levels_of(solve(process, method, count, ++seed));
        print_levels(fmt::format("{:<8} {}", stats::name(method), words(process)), found);
        hits_05 += found.use_05.value * static_cast<double>(count);
        hits_01 += found.use_01.value * static_cast<double>(count);
        problems += count;
      }
    }
  }
  const Share at_05 = share(hits_05, problems);
  const Share at_01 = share(hits_01, problems);
  fmt::print("{:<8} all {}: {:.3f} ± {:.3f}  {:.3f} ± {:.3f}\n", stats::name(method), problems, at_05.value,
             at_05.error, at_01.value, at_01.error);
  expect_within(at_05, kLow05, kHigh05, std::string(stats::name(method)));
  expect_within(at_01, kLow01, kHigh01, std::string(stats::name(method)));
}

INSTANTIATE_TEST_SUITE_P(TestOfUse, EveryKindOfCav,
                         testing::Values(stats::CavMethod::kFast, stats::CavMethod::kRidge,
                                         stats::CavMethod::kLogistic, stats::CavMethod::kSvm),
                         [](const auto& info) { return std::string(stats::name(info.param)); });

TEST(TestOfUse, FindsWhatIsThere) {
  const Index count = repeats(100);
  fmt::print("power at 0.05, {} problems per cell: use, differs, Welch\n", count);
  for (const Rows rows : {Rows::kNormal, Rows::kT3, Rows::kRelu}) {
    for (const double signal : {1.0, 2.0, 3.0, 5.0}) {
      const Process process{.rows = rows, .size = {.spread = 0.6}, .signal = signal};
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

}  // namespace
}  // namespace atcav::simulation
