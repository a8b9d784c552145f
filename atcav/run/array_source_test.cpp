#include "atcav/run/array_source.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"
#include "atcav/io/npy.h"
#include "atcav/io/open_array.h"

namespace atcav {
namespace {

TEST(ArraySource, ReadsTheRowsOfTheFile) {
  const std::string path = testing::TempDir() + "array_source_test.npy";
  const MatrixF values = Stream(1).normal_matrix(20, 7).cast<float>();
  io::write_npy(path, values);
  ArraySource source("random", io::open_array(path));
  EXPECT_EQ(source.name(), "random");
  EXPECT_EQ(source.rows(), 20);
  EXPECT_EQ(source.columns(), 7);
  MatrixF rows(5, 7);
  for (int again = 0; again < 2; ++again) {
    source.read(11, rows);
    EXPECT_EQ(rows, values.middleRows(11, 5));
  }
}

}  // namespace
}  // namespace atcav
