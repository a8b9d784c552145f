#include "tests/simulation/use_cells.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "atcav/run.h"
#include "core/parallel.h"

namespace atcav::simulation {
namespace {

Options light(stats::CavMethod method, bool resampled) {
  const bool cheap = stats::is_mean_difference(method);
  Options options;
  options.cav.method = method;
  options.bootstrap = !resampled ? 2 : cheap ? 200 : 20;
  options.permutations = resampled ? 99 : 1;
  options.threads = 1;
  return options;
}

}  // namespace

Index repeats(Index usual) {
  const char* text = std::getenv("ATCAV_REPEATS");
  return text == nullptr ? usual : std::strtol(text, nullptr, 10);
}

bool whole() { return std::getenv("ATCAV_REPEATS") != nullptr; }

Solved solve(const Process& process, stats::CavMethod method, Index count, std::uint64_t seed,
             bool resampled) {
  Solved solved(static_cast<std::size_t>(count));
  parallel_for(count, 0, [&](Index i) {
    const auto number = static_cast<std::uint64_t>(i);
    Stream stream(seed, {kTaskSimulation, static_cast<std::uint64_t>(process.rows), number});
    Drawn drawn = draw(process, stream);
    Result result = score({{"concept", drawn.concept_rows}}, drawn.random_rows, {{"class", drawn.gradients}},
                          light(method, resampled))
                        .results.front();
    solved[number] = {std::move(drawn), std::move(result)};
  });
  return solved;
}

Projected project(const Drawn& drawn) {
  const Matrix gradients = drawn.gradients.cast<double>();
  const auto of = [&](const MatrixF& rows) {
    return pass::Projections{gradients * rows.cast<double>().transpose(), Vector::Ones(rows.rows()), {}};
  };
  return {of(drawn.random_rows), of(drawn.concept_rows)};
}

Share share(double hits, Index count) {
  const auto n = static_cast<double>(count);
  const double p = hits / n;
  return {p, std::sqrt(std::max(p, 1 / n) * (1 - std::min(p, 1 - 1 / n)) / n)};
}

Levels levels_of(const Solved& solved) {
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

bool is_within(const Levels& found) {
  return found.use_05.value >= kLow05 && found.use_05.value <= kHigh05 && found.use_01.value >= kLow01 &&
         found.use_01.value <= kHigh01;
}

std::string cell(const Process& process) {
  const auto& [n_concept, n_random, spread] = process.size;
  return fmt::format("{:<11} {:>3}/{:<3} spread {:<3}", name(process.rows), n_concept, n_random, spread);
}

std::string words(const Process& process) {
  return fmt::format("{} m {:>3} {}", cell(process), process.inputs,
                     process.alike ? "used by no input " : "unused on average");
}

}  // namespace atcav::simulation
