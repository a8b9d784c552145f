#include "pipeline/label_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "atcav/random.h"

namespace atcav {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
using Rows = std::vector<Index>;

// Columns: 0/1, numbers, 0/1.
const Matrix kLabels{{0, 10, 1}, {1, 20, kUnknown}, {0, kUnknown, 0}, {1, 40, 1}, {0, 30, 0}};

TEST(LabelRows, HaveAllOfTheLabels) {
  EXPECT_EQ(LabelRows(kLabels, {0}).rows, (Rows{0, 1, 2, 3, 4}));
  EXPECT_EQ(LabelRows(kLabels, {0, 1}).rows, (Rows{0, 1, 3, 4}));
  EXPECT_EQ(LabelRows(kLabels, {0, 1, 2}).rows, (Rows{0, 3, 4}));
}

TEST(LabelRows, NumbersAreInUnitsOfTheirSdOverAllRowsThatHaveThem) {
  const LabelRows both(kLabels, {1, 2});
  EXPECT_EQ(both.numbers, (std::vector<bool>{true, false}));
  const double sd = std::sqrt(500.0 / 3);  // of 10, 20, 30, 40: the row without column 2 counts
  EXPECT_NEAR(both.values(0, 0), 10 / sd, 1e-12);
  EXPECT_EQ(both.values(0, 1), 1);
}

TEST(LabelRows, TheUnitOfDComesFromRowsWithoutA01Label) {
  const LabelRows rows(kLabels, {0, 1});
  EXPECT_EQ(rows.reference(0), (Rows{0, 3})) << "places among rows 0, 1, 3, 4";
  EXPECT_EQ(rows.reference(1), (Rows{0, 1, 2, 3}));
}

TEST(LabelSd, OfKnownValuesHoweverLarge) {
  EXPECT_NEAR(label_sd(kLabels.col(1)), std::sqrt(500.0 / 3), 1e-12);
  const Vector large = 1e300 * Vector{{1, kUnknown, 3}};
  EXPECT_NEAR(label_sd(large) / 1e300, std::sqrt(2), 1e-12);
}

TEST(PoolProducts, AreInnerProductsAroundTheMean) {
  const Matrix rows = Stream(1).normal_matrix(6, 4);
  pass::Pass pass;
  pass.features = rows.cast<float>();
  const Matrix exact = pass.features->cast<double>();
  const Matrix centred = exact.rowwise() - exact.colwise().mean();
  EXPECT_LT((pool_products(pass) - centred * centred.transpose()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(pool_products({}).size(), 0);
}

TEST(KeepsPoolRows, UpToALimitOfRowsAndMemory) {
  EXPECT_TRUE(keeps_pool_rows(2048, 1000));
  EXPECT_FALSE(keeps_pool_rows(2049, 1000));
  EXPECT_FALSE(keeps_pool_rows(2000, 100'000));
}

}  // namespace
}  // namespace atcav
