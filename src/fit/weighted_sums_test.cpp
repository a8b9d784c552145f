#include "fit/weighted_sums.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/random.h"

namespace atcav::fit {
namespace {

Panels panels_of(const Matrix& values) {
  Panels panels(values.rows(), values.cols());
  panels.set(0, values, 2);
  return panels;
}

TEST(Panels, AreFilledInParts) {
  const Matrix values = Stream(1).normal_matrix(40, 1300);
  Panels parts(40, 1300);
  parts.set(0, values.leftCols(600), 2);
  parts.set(600, values.rightCols(700), 2);
  ASSERT_EQ(parts.count(), 2);
  EXPECT_EQ(parts.width(1), 8);
  EXPECT_EQ(parts.panel(0), values.topRows(32).transpose());
  EXPECT_EQ(parts.panel(1).leftCols(8), values.bottomRows(8).transpose());
  EXPECT_EQ(parts.panel(1).rightCols(24), Matrix::Zero(1300, 24));
  EXPECT_THROW(parts.set(601, values.rightCols(700), 1), std::invalid_argument);
}

TEST(WeightedSums, AreTheProductForEverySize) {
  for (const Index refits : {1, 3, 4, 130}) {
    for (const Index inputs : {1, 15, 16, 33, 70}) {
      for (const Index rows : {1, 7, 512, 1100}) {
        const Matrix weights = Stream(1).normal_matrix(refits, rows);
        const Matrix values = Stream(2).normal_matrix(inputs, rows);
        const Matrix expected = weights * values.transpose();
        EXPECT_LT((weighted_sums(weights, panels_of(values), 2) - expected).cwiseAbs().maxCoeff(),
                  1e-14 * static_cast<double>(rows) + 1e-14)
            << refits << " " << inputs << " " << rows;
      }
    }
  }
}

TEST(WeightedSums, ThreadsChangeNothing) {
  const Matrix weights = Stream(1).normal_matrix(300, 900);
  const Matrix values = Stream(2).normal_matrix(70, 900);
  EXPECT_EQ(weighted_sums(weights, panels_of(values), 1), weighted_sums(weights, panels_of(values), 5));
}

TEST(ChosenSums, AreTheSumsForEverySize) {
  for (const Index refits : {1, 130}) {
    for (const Index inputs : {1, 31, 32, 70}) {
      const Matrix values = Stream(2).normal_matrix(inputs, 90);
      const Vector weights = Stream(3).normal_matrix(90, 1);
      std::vector<std::vector<Index>> chosen;
      for (Index k = 0; k < refits; ++k) {
        chosen.push_back(Stream(4, {static_cast<std::uint64_t>(k)}).permutation(90));
        chosen.back().resize(static_cast<std::size_t>(k % 40));
        if (k > 1) chosen.back().push_back(chosen.back().front());  // twice
      }
      const Matrix sums = chosen_sums(chosen, weights, panels_of(values), 3);
      EXPECT_EQ(sums, chosen_sums(chosen, weights, panels_of(values), 1));
      for (Index k = 0; k < refits; ++k) {
        Vector expected = Vector::Zero(inputs);
        for (const Index row : chosen[static_cast<std::size_t>(k)])
          expected += weights(row) * values.col(row);
        EXPECT_LT((sums.row(k).transpose() - expected).cwiseAbs().maxCoeff(), 1e-13);
      }
    }
  }
}

// Lists of one length and weights of 1 are added up in another way, each still in its own order.
TEST(ChosenSums, ManyPlainListsAreOneAfterAnother) {
  for (const Index inputs : {1, 8, 31, 33, 70}) {
    for (const Index refits : {2, 5, 300}) {
      const Matrix values = Stream(2).normal_matrix(inputs, 90);
      std::vector<std::vector<Index>> chosen;
      for (Index k = 0; k < refits; ++k) {
        chosen.push_back(Stream(4, {static_cast<std::uint64_t>(k)}).permutation(90));
        chosen.back().resize(23);
      }
      const Matrix sums = chosen_sums(chosen, Vector::Ones(90), panels_of(values), 3);
      for (Index k = 0; k < refits; ++k) {
        Vector expected = Vector::Zero(inputs);
        for (const Index row : chosen[static_cast<std::size_t>(k)]) expected += values.col(row);
        EXPECT_EQ(sums.row(k).transpose(), expected) << inputs << " " << refits << " " << k;
      }
    }
  }
}

TEST(WeightedSums, ColumnsMustAgree) {
  EXPECT_THROW(chosen_sums({{0}}, Vector::Ones(3), Panels(4, 5), 1), std::invalid_argument);
  EXPECT_THROW(weighted_sums(Matrix::Ones(2, 3), Panels(4, 5), 1), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::fit
