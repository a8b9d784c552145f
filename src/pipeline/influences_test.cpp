#include "pipeline/influences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/random.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Two classes of 2 and 3 inputs, two concepts and a pool of 4 rows at one layer.
Influences some() {
  Influences kept;
  kept.classes = {{"zebra", 2}, {"horse", 3}};
  kept.concepts = {"striped", "dotted"};
  kept.relative = {{0, 1}};
  kept.columns = {"brown"};
  kept.labels = Matrix{{0}, {1}, {0}, {1}};
  kept.files.sets = {{"r1", "r2", "r3"}, {"s1", "s2"}, {"d1", "d2"}};
  kept.hashes.pool = {"a", "b", "c", "d"};
  kept.groups.classes = {{"one", "one"}, {"one", "two", "two"}};
  kept.strata = {"day", "night", "day"};
  LayerResponses layer;
  layer.layer = "layer/3";
  for (const Index rows : {3, 2, 2}) layer.sets.push_back(Stream(1).normal_matrix(5, rows));
  layer.pool = Stream(2).normal_matrix(5, 4);
  layer.pool_products = Stream(3).normal_matrix(4, 4);
  layer.zero_inputs = {0, 1};
  kept.layers = {layer};
  return kept;
}

class InfluencesFile : public testing::Test {
 protected:
  std::string written(const Influences& kept) const {
    return folder_.write("kept.safetensors", influences_file(kept, "sha"));
  }
  testing_support::TempFolder folder_;
};

TEST_F(InfluencesFile, ComesBackWhole) {
  const Influences kept = some();
  const Influences found = read_influences(written(kept), "sha");
  ASSERT_EQ(found.classes.size(), 2U);
  EXPECT_EQ(found.classes[1].name, "horse");
  EXPECT_EQ(found.classes[1].inputs, 3);
  EXPECT_EQ(found.concepts, kept.concepts);
  EXPECT_EQ(found.relative, kept.relative);
  EXPECT_EQ(found.columns, kept.columns);
  EXPECT_EQ(found.labels, kept.labels);
  EXPECT_EQ(found.files.sets, kept.files.sets);
  EXPECT_EQ(found.hashes.pool, kept.hashes.pool);
  EXPECT_EQ(found.groups.classes, kept.groups.classes);
  EXPECT_EQ(found.strata, kept.strata);
  ASSERT_EQ(found.layers.size(), 1U);
  EXPECT_EQ(found.layers[0].layer, "layer/3");
  EXPECT_EQ(found.layers[0].sets, kept.layers[0].sets) << "doubles, not rounded";
  EXPECT_EQ(found.layers[0].pool, kept.layers[0].pool);
  EXPECT_EQ(found.layers[0].pool_products, kept.layers[0].pool_products);
  EXPECT_EQ(found.layers[0].zero_inputs, kept.layers[0].zero_inputs);
}

TEST_F(InfluencesFile, BelongsToItsResults) {
  const std::string path = written(some());
  EXPECT_THAT([&] { read_influences(path, "other"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("belongs to other results")));
}

TEST_F(InfluencesFile, TensorsThatDoNotFitAreRefused) {
  const auto expect_refused = [this](auto change) {
    Influences kept = some();
    change(kept);
    const std::string path = written(kept);
    EXPECT_THAT([&] { read_influences(path, "sha"); },
                ThrowsMessage<std::runtime_error>(HasSubstr("tensors of 'layer/3' that do not fit")));
  };
  expect_refused([](Influences& kept) { kept.classes[0].inputs = 3; });
  expect_refused([](Influences& kept) { kept.layers[0].zero_inputs.pop_back(); });
  expect_refused([](Influences& kept) { kept.layers[0].sets[1] = Matrix::Zero(5, 1); });
  expect_refused([](Influences& kept) { kept.labels = Matrix::Zero(3, 1); });
  expect_refused([](Influences& kept) { kept.layers[0].pool_products = Matrix::Zero(4, 5); });
}

TEST(KeptLayer, IsTheLayerThatWasKept) {
  const Influences kept = some();
  const LayerData layer = kept_layer(kept, 0);
  EXPECT_EQ(layer.names.classes[1].inputs, 3);
  ASSERT_TRUE(layer.pass && layer.pool && layer.labels && layer.groups && layer.strata);
  EXPECT_EQ(layer.pass->sets[2].projections.values, kept.layers[0].sets[2]);
  EXPECT_EQ(layer.pass->sets[2].projections.count(), 2);
  EXPECT_EQ(layer.zero_gradients(1), 1);
  EXPECT_EQ(layer.labels->columns, kept.columns);
  const std::shared_ptr<const Influences> again = keep_influences(std::span(&layer, 1), kept.hashes);
  EXPECT_EQ(influences_file(*again, "sha"), influences_file(kept, "sha"));
}

}  // namespace
}  // namespace atcav
