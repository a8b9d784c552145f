#include <gtest/gtest.h>

#include "atcav/random.h"
#include "pipeline/score_concept.h"

namespace atcav {
namespace {

// Against Eigen's product in double, for a class of one group, a class of several and any number of threads.
TEST(GradientKinship, IsTheProductsWithinEachGroup) {
  LayerData data;
  data.names.classes = {{.name = "few", .inputs = 5}, {.name = "many", .inputs = 700}};
  data.gradients = Stream(4).normal_matrix(705, 6000).cast<float>();
  const auto found = gradient_kinship(data, 2);
  const auto alone = gradient_kinship(data, 1);
  ASSERT_EQ(found.size(), 2U);
  Index first = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto sizes = input_groups(data.names.classes[k].inputs);
    ASSERT_EQ(found[k].size(), sizes.size());
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      const Matrix rows = data.gradients.middleRows(first, sizes[g]).cast<double>();
      const Matrix wanted = rows * rows.transpose();
      EXPECT_LT((found[k][g] - wanted).cwiseAbs().maxCoeff(), 1e-6 * wanted.cwiseAbs().maxCoeff());
      EXPECT_EQ(found[k][g], alone[k][g]) << "the same bits for any number of threads";
      first += sizes[g];
    }
  }
}

}  // namespace
}  // namespace atcav
