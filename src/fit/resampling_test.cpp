#include "fit/resampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "atcav/random.h"

namespace atcav::fit {
namespace {

// Writes down what it is asked for.
class Recorder : public Refitter {
 public:
  Recorder(Index random, Index positive) : Refitter(random, positive) {}
  Vector sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const override {
    const std::lock_guard lock(mutex_);
    calls.emplace_back(random, concept_rows);
    return Vector::Zero(1);
  }
  mutable std::vector<std::pair<RowNumbers, RowNumbers>> calls;

 private:
  mutable std::mutex mutex_;
};

RowNumbers sorted_union(const std::vector<std::pair<RowNumbers, RowNumbers>>& calls, bool random) {
  RowNumbers all;
  for (const auto& [r, c] : calls) all.insert(all.end(), (random ? r : c).begin(), (random ? r : c).end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(SplitRuns, PartsAreDisjointAndCoverTheSet) {
  Recorder recorder(23, 7);
  split_runs(recorder, 5, Split::kBoth, {});
  EXPECT_EQ(sorted_union(recorder.calls, true), row_range(0, 23));
  EXPECT_EQ(sorted_union(recorder.calls, false), row_range(23, 30));
  for (const auto& [r, c] : recorder.calls) EXPECT_TRUE(r.size() == 4 || r.size() == 5);
}

TEST(SplitRuns, RandomOnlyKeepsTheConceptWhole) {
  Recorder recorder(20, 7);
  split_runs(recorder, 4, Split::kRandom, {});
  for (const auto& call : recorder.calls) EXPECT_EQ(call.second.size(), 7U);
  EXPECT_THROW(split_runs(recorder, 21, Split::kRandom, {}), std::invalid_argument);
  EXPECT_THROW(split_runs(recorder, 8, Split::kBoth, {}), std::invalid_argument);
}

TEST(RandomNullRuns, NeverTouchTheConcept) {
  Recorder recorder(20, 7);
  random_null_runs(recorder, 4, {});
  for (const auto& [r, c] : recorder.calls) {
    EXPECT_LT(*std::max_element(c.begin(), c.end()), 20);
    for (const Index row : c) EXPECT_EQ(std::count(r.begin(), r.end(), row), 0);
  }
}

TEST(HalfRuns, PairsAreComplementary) {
  Recorder recorder(11, 6);
  half_runs(recorder, 1, {0, 0, 1});
  EXPECT_EQ(sorted_union(recorder.calls, true), row_range(0, 11));
  EXPECT_EQ(sorted_union(recorder.calls, false), row_range(11, 17));
}

TEST(QuarterRuns, CutTheHalvesInTwo) {
  Recorder halves(11, 6);
  Recorder quarters(11, 6);
  half_runs(halves, 2, {4, 0, 1});
  quarters.refits(quarter_drawing(quarters, 2, {4, 0, 1}), 1);
  ASSERT_EQ(quarters.calls.size(), 8U);
  for (std::size_t k = 0; k < 4; ++k) {
    RowNumbers joined;
    for (const std::size_t own : {2 * k, 2 * k + 1}) {
      for (const RowNumbers& rows : {quarters.calls[own].first, quarters.calls[own].second})
        joined.insert(joined.end(), rows.begin(), rows.end());
    }
    RowNumbers half = halves.calls[k].first;
    half.insert(half.end(), halves.calls[k].second.begin(), halves.calls[k].second.end());
    std::sort(joined.begin(), joined.end());
    std::sort(half.begin(), half.end());
    EXPECT_EQ(joined, half);
  }
}

TEST(BootstrapRuns, DrawWithReplacementWithinSets) {
  Recorder recorder(11, 6);
  bootstrap_runs(recorder, 50, {});
  bool repeated = false;
  for (const auto& [r, c] : recorder.calls) {
    EXPECT_LT(*std::max_element(r.begin(), r.end()), 11);
    EXPECT_GE(*std::min_element(c.begin(), c.end()), 11);
    RowNumbers unique = r;
    std::sort(unique.begin(), unique.end());
    repeated = repeated || std::unique(unique.begin(), unique.end()) != unique.end();
  }
  EXPECT_TRUE(repeated);
}

MeanRefitter example_refitter(Index n1, Index n2) {
  const pass::Projections random{Stream(1).normal_matrix(5, n1), Vector::Ones(n1), {}};
  const pass::Projections positive{Stream(2).normal_matrix(5, n2), Vector::Ones(n2), {}};
  return {random, positive, false};
}

TEST(Resampling, DoesNotDependOnThreads) {
  const MeanRefitter refitter = example_refitter(40, 20);
  ResamplingOptions one{7, 3, 1};
  ResamplingOptions three{7, 3, 3};
  EXPECT_EQ(bootstrap_runs(refitter, 30, one), bootstrap_runs(refitter, 30, three));
  EXPECT_EQ(half_runs(refitter, 5, one), half_runs(refitter, 5, three));
  EXPECT_EQ(refitter.refits(jackknife_half_drawing(refitter, 5, one), 1),
            refitter.refits(jackknife_half_drawing(refitter, 5, three), 3));
  EXPECT_NE(bootstrap_runs(refitter, 30, one), bootstrap_runs(refitter, 30, {8, 3, 1}));
}

// For means the delete-one jackknife is exact: √(var₁/n + var₂/n) with sample variances.
TEST(JackknifeRuns, DeleteOneGivesTheErrorOfADifferenceOfMeans) {
  const MeanRefitter refitter = example_refitter(30, 30);
  const Matrix runs = refitter.refits(jackknife_drawing(refitter, 30, 1, {}), 1);
  const Matrix random = Stream(1).normal_matrix(5, 30);
  const Matrix positive = Stream(2).normal_matrix(5, 30);
  const auto variance = [](const Matrix& x, Index j) {
    return (x.row(j).array() - x.row(j).mean()).square().sum() / 29;
  };
  for (Index j = 0; j < 5; ++j) {
    const double exact = std::sqrt((variance(random, j) + variance(positive, j)) / 30);
    // Exact for each set alone; leaving out one of each at once adds their chance correlation, of order
    // 1/√30.
    EXPECT_NEAR(jackknife_error(runs.col(j)) / exact, 1, 0.3);
  }
}

TEST(JackknifeError, ByHand) {
  EXPECT_NEAR(jackknife_error(Eigen::Vector3d(1, 2, 3)), std::sqrt(2.0 / 3 * 2), 1e-15);
}

}  // namespace
}  // namespace atcav::fit
