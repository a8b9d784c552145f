// docs/theory/posterior.md: which of the answers to "does the concept push this input up?" are calibrated?
// Expected calibration error (15 bins) of P(⟨z_j, μ⟩ > 0) over 150 problems of 60 inputs per cell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"

namespace atcav::paper {
namespace {

struct Expected {
  double error;  // of an independent simulation in NumPy, 300 problems
  double
      scatter;  // standard deviation between seeds here; the 60 inputs of a problem share one CAV and one ξ
};
struct Cell {
  CalibrationSetting setting;
  Expected indicator, effective, flat, empirical_bayes;
};

class Calibration : public testing::TestWithParam<Cell> {};

TEST_P(Calibration, IsWhatAnotherSimulationFound) {
  const Cell& cell = GetParam();
  const auto key = static_cast<std::uint64_t>(cell.setting.n + 100 * cell.setting.length);
  const std::vector<stats::Reliability> found =
      simulate_calibration(cell.setting, key, {.repeats = 25, .seed = 4});
  fmt::print("n1 = n2 = {:>4} |mu| = {:<3}:", cell.setting.n, cell.setting.length);
  const auto judge = [&](const char* name, Answer answer, const Expected& expected) {
    const double error = found[answer].expected_calibration_error;
    fmt::print("  {} {:.3f} ± {:.3f}", name, error, expected.scatter);
    // Four standard deviations, and the other simulation is rounded to 0.01.
    EXPECT_NEAR(error, expected.error, 4 * expected.scatter + 0.005) << name;
  };
  judge("indicator", kIndicator, cell.indicator);
  judge("effective", kEffective, cell.effective);
  judge("flat", kFlat, cell.flat);
  judge("empirical Bayes", kEmpiricalBayes, cell.empirical_bayes);
  fmt::print("\n");
  EXPECT_LT(found[kEmpiricalBayes].expected_calibration_error, 0.05);
}

INSTANTIATE_TEST_SUITE_P(
    Cells, Calibration,
    testing::Values(Cell{{50, 0.4}, {.45, .004}, {.20, .005}, {.20, .005}, {.04, .007}},
                    Cell{{50, 0.8}, {.41, .004}, {.15, .004}, {.17, .004}, {.04, .005}},
                    Cell{{50, 2.0}, {.25, .006}, {.02, .004}, {.06, .004}, {.01, .004}},
                    Cell{{1000, 0.4}, {.32, .005}, {.07, .003}, {.10, .003}, {.014, .003}},
                    Cell{{1000, 0.8}, {.21, .006}, {.04, .005}, {.04, .005}, {.008, .004}},
                    Cell{{1000, 2.0}, {.07, .005}, {.13, .004}, {.005, .001}, {.004, .001}}));

}  // namespace
}  // namespace atcav::paper
