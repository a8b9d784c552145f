#include "fit/max_t.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/interval.h"
#include "atcav/random.h"
#include "fit/permutation.h"

namespace atcav::fit {
namespace {

Vector normals(Index n, std::uint64_t key) { return Stream(3, {kTaskSimulation, key}).normal_matrix(n, 1); }

// Each relabelling's t is Welch's of the rows it deals.
TEST(RelabelledT, IsWelchsOfTheDealtRows) {
  const Vector random = normals(11, 1);
  const Vector of_concept = normals(6, 2).array() + 1;
  const ResamplingOptions options{.seed = 5, .key = 7, .threads = 1};
  const Vector t =
      relabelled_t({dealt_rows_of(random), dealt_rows_of(of_concept)}, Vector::Zero(4), 8, options, 1);
  Vector all(17);
  all << random, of_concept;
  for (Index k = 0; k < t.size(); ++k) {
    const RowNumbers chosen = dealt_rows(17, 6, k, options);
    Vector a(6), b(11);
    Index in_a = 0, in_b = 0;
    for (Index row = 0; row < 17; ++row) {
      const bool is_chosen = std::find(chosen.begin(), chosen.end(), row) != chosen.end();
      (is_chosen ? a(in_a++) : b(in_b++)) = all(row);
    }
    EXPECT_NEAR(t(k), stats::welch_t_test(a, b).statistic, 1e-12);
  }
}

// Groups are dealt whole, and t is that of a difference of means with errors over groups, from the rows.
TEST(RelabelledT, DealsGroupsWhole) {
  const Groups of_random = groups_of({"a", "a", "b", "c", "c", "c", "d"});
  const Groups of_positive = groups_of({"e", "e", "f", "g"});
  const Vector random = normals(7, 1);
  const Vector positive = normals(4, 2).array() + 1;
  const ResamplingOptions options{.seed = 5, .key = 7, .threads = 1};
  const Vector t = relabelled_t({dealt_rows_of(random, of_random), dealt_rows_of(positive, of_positive)},
                                Vector::Zero(4), 8, options, 1);
  for (Index k = 0; k < t.size(); ++k) {
    const RowNumbers chosen = dealt_rows(7, 3, k, options);
    std::vector<std::vector<double>> values[2];  // of the groups of either side
    for (Index g = 0; g < 7; ++g) {
      const bool is_chosen = std::find(chosen.begin(), chosen.end(), g) != chosen.end();
      std::vector<double>& group = values[is_chosen ? 1 : 0].emplace_back();
      for (std::size_t i = 0; i < 7; ++i)
        if (of_random.of_row[i] == g) group.push_back(random(static_cast<Index>(i)));
      for (std::size_t i = 0; i < 4; ++i)
        if (of_positive.of_row[i] == g - 4) group.push_back(positive(static_cast<Index>(i)));
    }
    double mean[2] = {0, 0}, variance = 0;
    for (const int side : {0, 1}) {
      double n = 0;
      for (const auto& group : values[side]) {
        for (const double value : group) mean[side] += value, n += 1;
      }
      mean[side] /= n;
      for (const auto& group : values[side]) {
        double influence = 0;
        for (const double value : group) influence += (value - mean[side]) / n / std::sqrt(1 - 1 / n);
        variance += influence * influence * 7 / 6;
      }
    }
    EXPECT_NEAR(t(k), (mean[1] - mean[0]) / std::sqrt(variance), 1e-12);
  }
}

// All rows equal: only the inputs move, so t is a t of m - 1 degrees, whose variance is (m-1)/(m-3) = 19/17.
// 20,000 draws know it to 1 %.
TEST(RelabelledT, InputsAloneGiveStudentsLaw) {
  const Vector t = relabelled_t({dealt_rows_of(Vector::Ones(5)), dealt_rows_of(Vector::Ones(5))},
                                Vector::Ones(20), 20'000, {.threads = 1}, 9);
  EXPECT_NEAR(t.mean(), 0, 0.03);
  EXPECT_NEAR(t.squaredNorm() / 20'000, 19.0 / 17, 0.05);
}

TEST(LargestT, CountsOverAllTests) {
  LargestT largest;
  EXPECT_TRUE(largest.empty());
  largest.add(Eigen::Vector4d(1, -2, 0.5, 0));
  largest.add(Eigen::Vector4d(-1.5, 1, 0.5, 0.25));  // largest: 1.5, 2, 0.5, 0.25
  EXPECT_DOUBLE_EQ(largest.p(1.5), 3.0 / 5);
  EXPECT_DOUBLE_EQ(largest.p(-3), 1.0 / 5);
  EXPECT_DOUBLE_EQ(largest.p(0), 1);
  EXPECT_DOUBLE_EQ(largest.critical(0.6), 1.5);
  EXPECT_DOUBLE_EQ(largest.critical(0.8), 2);
  EXPECT_TRUE(std::isinf(largest.critical(0.95)));
}

}  // namespace
}  // namespace atcav::fit
