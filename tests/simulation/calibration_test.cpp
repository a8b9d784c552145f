// docs/theory/posterior.md: which of the answers to "does the concept push this input up?" are calibrated?
// Expected calibration error (15 bins) of P(⟨z_j, μ⟩ > 0) over 150 problems of 60 inputs per cell.
#include "apps/paper/calibration.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace atcav::paper {
namespace {

struct Expected {
  Answer answer;
  double error;    // the page's
  double scatter;  // standard deviation between seeds; the 60 inputs of a problem share one CAV and one ξ
};
struct Cell {
  CalibrationSetting setting;
  std::vector<Expected> expected;
};

class Calibration : public testing::TestWithParam<Cell> {};

TEST_P(Calibration, AsPublished) {
  const auto& [setting, expected] = GetParam();
  const auto key =
      static_cast<std::uint64_t>(100 * setting.length) + 1000 * static_cast<std::uint64_t>(setting.n);
  const std::vector<stats::Reliability> found =
      simulate_calibration(setting, key, {.repeats = 25, .seed = 4});
  fmt::print("n1 = n2 = {:>4} |mu| = {:<3}:", setting.n, setting.length);
  for (const auto& [answer, error, scatter] : expected) {
    const double here = found[answer].expected_calibration_error;
    fmt::print("  {:.3f} ± {:.3f}", here, scatter);
    // Two simulations are compared, and the page rounds to 0.01.
    EXPECT_NEAR(here, error, 4 * scatter + 0.005) << answer;
  }
  fmt::print("\n");
  EXPECT_LT(found[kEmpiricalBayes].expected_calibration_error, 0.05);
}

INSTANTIATE_TEST_SUITE_P(
    Cells, Calibration,
    testing::Values(
        Cell{
            {50, 0.4},
            {{kIndicator, .45, .01}, {kEffective, .20, .01}, {kFlat, .20, .01}, {kEmpiricalBayes, .04, .01}}},
        Cell{
            {50, 0.8},
            {{kIndicator, .41, .01}, {kEffective, .15, .01}, {kFlat, .17, .01}, {kEmpiricalBayes, .04, .01}}},
        Cell{
            {50, 2.0},
            {{kIndicator, .25, .01}, {kEffective, .02, .01}, {kFlat, .06, .01}, {kEmpiricalBayes, .01, .01}}},
        Cell{{1000, 0.4},
             {{kIndicator, .32, .01},
              {kEffective, .07, .01},
              {kFlat, .10, .01},
              {kEmpiricalBayes, .014, .01}}},
        Cell{{1000, 0.8},
             {{kIndicator, .21, .01},
              {kEffective, .04, .01},
              {kFlat, .04, .01},
              {kEmpiricalBayes, .008, .01}}},
        Cell{{1000, 2.0},
             {{kIndicator, .07, .01},
              {kEffective, .13, .01},
              {kFlat, .005, .01},
              {kEmpiricalBayes, .004, .01}}}));

}  // namespace
}  // namespace atcav::paper
