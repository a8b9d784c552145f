#include "stats/explained.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "atcav/random.h"
#include "core/parallel.h"
#include "tests/simulation/use_cells.h"

// A linear head whose share of the concepts is planted: do intervals hold it? Five kinds of rows.
namespace atcav::simulation {
namespace {

constexpr Index kColumns = 40;
constexpr Index kConcepts = 3;
constexpr Index kOwn = 10;  // columns that concepts lie in

enum class Kind { kNormal, kHeavy, kRelu, kGroups, kAlike };
constexpr const char* kNames[] = {"normal", "t4", "ReLU", "groups of five", "concepts alike"};

struct Sample {
  Matrix rows;
  Vector logit;
  Groups groups;
};

// What concepts do, what other columns do, and what is not linear in the layer.
Sample drawn(Stream& stream, Kind kind, Index n, const Matrix& concepts, double planted) {
  Sample sample{stream.normal_matrix(n, kColumns), {}, {}};
  Vector rest = stream.normal_matrix(n, 1).col(0);
  if (kind == Kind::kHeavy) {
    for (auto row : sample.rows.rowwise()) row /= std::sqrt(stream.normal_matrix(1, 4).squaredNorm() / 4);
  } else if (kind == Kind::kRelu) {
    sample.rows = sample.rows.cwiseMax(0).eval();
  } else if (kind == Kind::kGroups) {
    const Index count = (n + 4) / 5;
    const Matrix shared = stream.normal_matrix(count, kColumns + 1);
    for (Index i = 0; i < n; ++i) {
      sample.groups.of_row.push_back(i / 5);
      sample.rows.row(i) = 0.5 * sample.rows.row(i) + shared.row(i / 5).head(kColumns);
      rest(i) = 0.5 * rest(i) + shared(i / 5, kColumns);
    }
    sample.groups.count = count;
  }
  const Vector own = (sample.rows * concepts.transpose()).rowwise().sum();
  const Vector others = 0.15 * sample.rows.rightCols(kColumns - kOwn).rowwise().sum();
  sample.logit = std::sqrt(planted) * own + std::sqrt(1 - planted) * (others + rest);
  return sample;
}

// Of very many inputs, whose fit costs nothing.
double population_share(const Matrix& features, const Vector& logit) {
  const Matrix centred = features.rowwise() - features.colwise().mean();
  const Vector values = logit.array() - logit.mean();
  const Vector weights = (centred.transpose() * centred).ldlt().solve(centred.transpose() * values);
  return 1 - (values - centred * weights).squaredNorm() / values.squaredNorm();
}

std::vector<double> population_shapley(const Matrix& features, const Vector& logit) {
  std::vector<double> parts(kConcepts);
  std::vector<Index> order = {0, 1, 2};
  do {
    std::vector<Index> before;
    double share = 0;
    for (const Index k : order) {
      before.push_back(k);
      const double with = population_share(features(Eigen::all, before), logit);
      parts[static_cast<std::size_t>(k)] += (with - share) / 6;
      share = with;
    }
  } while (std::ranges::next_permutation(order).found);
  return parts;
}

struct Cell {
  double truth = 0, mean = 0, sd = 0, covered = 0, covered_parts = 0, random = 0;
};

Cell simulated(Kind kind, Index n, double planted, Index count) {
  Stream fixed(7, {kTaskSimulation, static_cast<std::uint64_t>(kind)});
  Matrix concepts = Matrix::Zero(kConcepts, kColumns);
  concepts.leftCols(kOwn) = fixed.normal_matrix(kConcepts, kOwn) / std::sqrt(20.0);
  if (kind == Kind::kAlike) concepts.row(1) = concepts.row(0) + 0.2 * concepts.row(1);
  const Sample many = drawn(fixed, kind, 100'000, concepts, planted);
  const Matrix features = many.rows * concepts.transpose();
  Cell cell{.truth = population_share(features, many.logit)};
  const std::vector<double> parts = population_shapley(features, many.logit);
  std::vector<stats::SpanShare> found(static_cast<std::size_t>(count));
  parallel_for(count, 0, [&](Index k) {
    Stream stream(static_cast<std::uint64_t>(k),
                  {kTaskRepeat, static_cast<std::uint64_t>(kind), static_cast<std::uint64_t>(n)});
    const Sample sample = drawn(stream, kind, n, concepts, planted);
    const stats::SpanOptions options{.random = 10, .seed = static_cast<std::uint64_t>(k), .threads = 1};
    found[static_cast<std::size_t>(k)] =
        *stats::SpanDesign(sample.rows * concepts.transpose(), sample.rows * sample.rows.transpose(),
                           sample.groups, options)
             .explain(sample.logit);
  });
  const auto holds = [](const stats::Interval& interval, double value) {
    return interval.low <= value && value <= interval.high ? 1.0 : 0.0;
  };
  for (const stats::SpanShare& one : found) {
    const auto weight = 1 / static_cast<double>(count);
    cell.mean += weight * one.share;
    cell.sd += weight * (one.share - cell.truth) * (one.share - cell.truth);
    cell.random += weight * one.random_mean;
    cell.covered += weight * holds(one.interval, cell.truth);
    for (std::size_t c = 0; c < parts.size(); ++c)
      cell.covered_parts += weight / kConcepts * holds(one.shapley_intervals[c], parts[c]);
  }
  cell.sd = std::sqrt(cell.sd);
  return cell;
}

TEST(ExplainedShare, IntervalsHoldPlantedShares) {
  const Index count = repeats(25);
  const std::vector<Index> sizes = whole() ? std::vector<Index>{60, 200} : std::vector<Index>{100};
  const std::vector<double> shares = whole() ? std::vector<double>{0, 0.1, 0.4, 0.8} : std::vector{0.0, 0.4};
  const double error = std::sqrt(0.95 * 0.05 / static_cast<double>(count));
  fmt::print("95 % intervals over {} samples, standard error {:.3f}\n", count, error);
  fmt::print("{:>15} {:>4} {:>6} {:>7} {:>6} {:>6} {:>8} {:>7}\n", "rows", "n", "truth", "mean", "rmse",
             "share", "Shapley", "random");
  for (const Kind kind : {Kind::kNormal, Kind::kHeavy, Kind::kRelu, Kind::kGroups, Kind::kAlike}) {
    for (const Index n : sizes) {
      for (const double planted : shares) {
        const Cell cell = simulated(kind, n, planted, count);
        fmt::print("{:>15} {:>4} {:>6.3f} {:>7.3f} {:>6.3f} {:>6.3f} {:>8.3f} {:>7.3f}\n",
                   kNames[static_cast<int>(kind)], n, cell.truth, cell.mean, cell.sd, cell.covered,
                   cell.covered_parts, cell.random);
        EXPECT_NEAR(cell.mean, cell.truth, 0.03 + 4 * cell.sd / std::sqrt(static_cast<double>(count)));
        EXPECT_GT(cell.covered, 0.86 - 3 * error);
        EXPECT_GT(cell.covered_parts, 0.84 - 3 * error);
      }
    }
  }
}

}  // namespace
}  // namespace atcav::simulation
