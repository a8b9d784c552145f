#include "apps/cli/ridge_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/theory.h"
#include "data/array/npy.h"
#include "tests/support/temp_folder.h"

namespace atcav::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string description(const std::string& mean, const std::string& covariance) {
  return "d: 2\nn_random: 5\nn_concept: 4\nlambda: 3\nrandom: {mean: 0, covariance: 1}\nconcept:\n  mean: " +
         mean + "\n  covariance: " + covariance + "\n";
}

std::string complaint(const std::string& yaml) {
  try {
    parse_ridge_description(yaml, "");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ParseRidgeDescription, NumbersListsAndToeplitz) {
  RidgeDescription got = parse_ridge_description(description("[1, -2]", "{toeplitz: 0.5}"), "");
  EXPECT_EQ(got.classes.n_random, 5);
  EXPECT_EQ(got.classes.n_concept, 4);
  EXPECT_THAT(got.lambdas, ElementsAre(3));
  EXPECT_EQ(got.classes.random.mean, Vector::Zero(2));
  EXPECT_EQ(got.classes.random.covariance, Matrix(Matrix::Identity(2, 2)));
  EXPECT_EQ(got.classes.of_concept.mean, (Vector{{1.0, -2.0}}));
  EXPECT_EQ(got.classes.of_concept.covariance, stats::toeplitz_covariance(2, 0.5));

  got = parse_ridge_description(description("7", "[2, 3]"), "");
  EXPECT_EQ(got.classes.of_concept.mean, Vector::Constant(2, 7));
  EXPECT_EQ(got.classes.of_concept.covariance, (Matrix{{2, 0}, {0, 3}}));

  got = parse_ridge_description(description("0", "[[2, 1], [1, 3]]"), "");
  EXPECT_EQ(got.classes.of_concept.covariance, (Matrix{{2, 1}, {1, 3}}));
}

TEST(ReadRidgeDescription, ArraysBesideTheDescription) {
  const testing_support::TempFolder folder;
  const Matrix covariance{{2, 1}, {1, 3}};
  const Matrix mean{{4}, {5}};
  const Matrix row{{6, 7}};
  data::write_npy(folder.file("covariance.npy"), covariance);
  data::write_npy(folder.file("mean.npy"), mean);
  data::write_npy(folder.file("row.npy"), row);
  RidgeDescription got =
      read_ridge_description(folder.write("a.yaml", description("mean.npy", "covariance.npy")));
  EXPECT_EQ(got.classes.of_concept.covariance, covariance);
  EXPECT_EQ(got.classes.of_concept.mean, (Vector{{4.0, 5.0}}));
  got = read_ridge_description(folder.write("b.yaml", description("row.npy", "1")));
  EXPECT_EQ(got.classes.of_concept.mean, (Vector{{6.0, 7.0}}));
  EXPECT_THROW(read_ridge_description(folder.write("c.yaml", description("none.npy", "1"))),
               std::runtime_error);
}

TEST(ParseRidgeDescription, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(complaint("d: 2\nn_rand: 5\n"), HasSubstr("unknown key 'n_rand' in the description"));
  EXPECT_THAT(complaint("d: 2\nn_rand: 5\n"), HasSubstr("(line 2)"));
  EXPECT_THAT(complaint("d: 2\n"), HasSubstr("lacks the key 'n_random'"));
  EXPECT_THAT(complaint("just text"), HasSubstr("must have the keys"));
  EXPECT_THAT(complaint("d: ["), HasSubstr("[ridge description]"));
  EXPECT_THAT(complaint(description("[1, 2, 3]", "1")),
              HasSubstr("concept mean is 3 × 1, must be one number or 2"));
  EXPECT_THAT(complaint(description("1", "[[1, 0], [0]]")), HasSubstr("differ in length"));
  EXPECT_THAT(complaint(description("1", "[1, 2, 3]")), HasSubstr("concept covariance is 3 × 1"));
  EXPECT_THAT(complaint(description("[]", "1")), HasSubstr("must be a number, a list or an array file"));
  EXPECT_THAT(complaint(description("1", "{toplitz: 1}")), HasSubstr("unknown key 'toplitz'"));
  EXPECT_THAT(complaint(description("1", "{toeplitz: x}")),
              HasSubstr("concept covariance is not what was expected"));
}

}  // namespace
}  // namespace atcav::cli
