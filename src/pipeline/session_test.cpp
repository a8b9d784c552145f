#include "pipeline/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/testing_model.h"

namespace atcav {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Networks, AreOpenedWhenNeededAndTakeTurns) {
  std::vector<int> opened;
  Networks networks({{true, 3}, {true, 5}}, [&opened](model::Device device) {
    opened.push_back(device.number);
    return std::make_shared<model::TestingModel>(static_cast<double>(opened.size()));
  });
  EXPECT_TRUE(opened.empty());
  const model::Model* first = &networks.next();
  EXPECT_THAT(opened, ElementsAre(3));
  const model::Model* second = &networks.next();
  EXPECT_THAT(opened, ElementsAre(3, 5));
  EXPECT_NE(first, second);
  EXPECT_EQ(&networks.next(), first);
  EXPECT_EQ(&networks.first(), first);
  EXPECT_EQ(opened.size(), 2U);
}

Session opened_with(const std::vector<std::string>& layers, model::Pool pool = model::Pool::kNone) {
  Config config;
  config.layers = layers;
  config.pool = pool;
  return open_session(config, std::make_shared<model::TestingModel>());
}

TEST(OpenSession, FindsLayersAndWhatPoolingLeaves) {
  const Session whole = opened_with({"net.first", "active"});
  ASSERT_EQ(whole.layers.size(), 2U);
  EXPECT_EQ(whole.layers[0].name, "net.first");
  EXPECT_EQ(whole.layers[0].what.name, "hidden");
  EXPECT_EQ(whole.layers[0].columns, model::TestingModel::kHidden);
  EXPECT_THAT(whole.positions, ElementsAre(0, 1));
  EXPECT_LT(whole.layers[0].depth, whole.layers[1].depth);
  EXPECT_EQ(opened_with({"hidden"}, model::Pool::kMean).layers[0].columns, 4);
}

TEST(OpenSession, TwoNamesOfOneTensorAreRefused) {
  EXPECT_THAT(
      [] {
        opened_with({"hidden", "net.first"});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("are the same tensor 'hidden'")));
}

}  // namespace
}  // namespace atcav
