// docs/theory/posterior.md: how well three posteriors are calibrated, in the processes of the test of use.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "atcav/posterior.h"
#include "core/parallel.h"
#include "fit/noise.h"
#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

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
        const Process process{.rows = rows, .size = kSizes[s], .signal = signal, .shift = 1};
        std::array<Calibration, 3> found;
        std::mutex adding;
        parallel_for(count, 0, [&](Index i) {
          Stream stream(17, {kTaskSimulation, static_cast<std::uint64_t>(i)});
          const Drawn drawn = draw(process, stream);
          const Matrix z = drawn.gradients.cast<double>();
          const auto [random, of_concept] = project(drawn);
          const fit::ClosedFormNoise noise(random, of_concept, false);
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
        fmt::print("{} signal {}:", cell(process), signal);
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
