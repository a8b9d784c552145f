#include "pipeline/copies_notes.h"

#include <gtest/gtest.h>

#include "atcav/random.h"
#include "atcav/run.h"

namespace atcav {
namespace {

TEST(CopiesNotes, CountCropsAndNameTwo) {
  Stream stream(2);
  const MatrixF random = stream.normal_matrix(100, 400).cast<float>();
  const MatrixF gradients = stream.normal_matrix(5, 400).cast<float>();
  MatrixF crops(60, 400);
  const Matrix pictures = stream.normal_matrix(12, 400);
  for (Index i = 0; i < 60; ++i)
    crops.row(i) = (pictures.row(i / 5) + 0.2 * stream.normal_matrix(1, 400)).cast<float>();
  const auto notes = [&](const MatrixF& rows) {
    return score({{"crops", rows}}, random, {{"zebra", gradients}}, {}).notes;
  };
  const std::vector<std::string> found = notes(crops);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(
      found[0].starts_with("60 of the 60 examples of concept 'crops' look like copies of others (e.g. row "))
      << found[0];
  EXPECT_TRUE(found[0].ends_with("keep one of each, or give all as a --pool with a --group-column"))
      << found[0];
  EXPECT_TRUE(notes(stream.normal_matrix(60, 400).cast<float>()).empty());
}

TEST(CopiesNotes, AreSilentAboutGroups) {
  Stream stream(4);
  MatrixF rows = stream.normal_matrix(60, 50).cast<float>();
  LabelTable labels;
  labels.columns = {"red"};
  labels.values = Matrix::Zero(60, 1);
  for (Index i = 0; i < 60; i += 2) {
    rows.row(i + 1) = rows.row(i);
    if (i % 4 == 0) labels.values.middleRows(i, 2).setOnes();
  }
  const MatrixF gradients = stream.normal_matrix(5, 50).cast<float>();
  const auto notes = [&] {
    return score({.gradients = {{"zebra", gradients}}, .pool = LabelledRows{rows, labels}}, Config{}).notes;
  };
  EXPECT_EQ(notes().size(), 1U);
  for (Index i = 0; i < 60; ++i) labels.groups.push_back(std::to_string(i / 2));
  EXPECT_TRUE(notes().empty());
}

}  // namespace
}  // namespace atcav
