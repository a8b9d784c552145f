#include "fit/copies.h"

#include <gtest/gtest.h>

#include "atcav/random.h"
#include "pass/sketch.h"

namespace atcav::fit {
namespace {

Copies copies_of(const Matrix& rows, const Groups& groups = {}) {
  return find_copies(pass::sketch_rows(rows.cast<float>(), 1), groups, 2);
}

// 12 pictures, 5 crops of each: cosine about 1/(1 + noise²).
Matrix crops(Index d, double noise) {
  Stream stream(3);
  const Matrix pictures = stream.normal_matrix(12, d);
  Matrix rows(60, d);
  for (Index i = 0; i < 60; ++i)
    rows.row(i) = pictures.row(i / 5) + noise * stream.normal_matrix(1, d).row(0);
  return rows;
}

TEST(FindCopies, FindsCropsOfOnePicture) {
  EXPECT_GE(copies_of(crops(3000, 0.25)).rows, 54);  // cosine 0.94, the sketch's error 0.007 at that
  EXPECT_EQ(copies_of(crops(3000, 1)).rows, 0);      // cosine 0.5, as pictures of one texture
}

TEST(FindCopies, CountsOnlyThoseOutsideTheirGroup) {
  Groups pictures;
  for (Index i = 0; i < 60; ++i) pictures.of_row.push_back(i / 5);
  pictures.count = 12;
  EXPECT_EQ(copies_of(crops(3000, 0.25), pictures).rows, 0);
}

// In few dimensions everything has a near neighbour.
TEST(FindCopies, LeavesSetsOfDifferentRowsAlone) {
  for (const Index d : {2, 5, 10, 50, 3000}) {
    const Copies found = copies_of(Stream(static_cast<std::uint64_t>(d)).normal_matrix(400, d));
    EXPECT_LE(found.rows, 4) << d;
  }
  EXPECT_EQ(copies_of(Matrix::Ones(50, 20)).rows, 0);  // no direction at all
}

TEST(FindCopies, NamesTheMostAlike) {
  Matrix rows = Stream(5).normal_matrix(5000, 300);
  rows.row(4321) = rows.row(4000);
  const Copies found = copies_of(rows);
  EXPECT_EQ(found.first, 4000);
  EXPECT_EQ(found.second, 4321);
  EXPECT_EQ(found.rows, 2);
  EXPECT_NEAR(found.cosine, 1, 1e-5);
}

}  // namespace
}  // namespace atcav::fit
