#include "atcav/run/class_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "apps/demo/demo.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ClassGradients, ClassesBelowEachOtherAsTheProbeGivesThem) {
  const testing_support::TempFolder folder;
  Config config = write_demo(folder.path(), 1);
  config.layers = {"block4", "pool"};
  config.classes.resize(2);
  config.batch = 16;
  Probe probe(config);
  std::vector<ExampleFiles> classes = open_classes(config, probe);
  ASSERT_EQ(classes.size(), 2U);
  BlockTurns turns(2);
  Index last = 0;
  const std::vector<MatrixF> found =
      class_gradients(config, probe, classes, turns, [&](const std::string& stage, Index done, Index) {
        EXPECT_EQ(stage, "gradients");
        last = done;
      });
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].cols(), probe.columns(1));
  EXPECT_EQ(last, classes[0].rows() + classes[1].rows());
  EXPECT_EQ(found[0].rows(), last);
  const std::vector<MatrixF> block = probe.gradients(classes[1], 16, 16, config.classes[1].target);
  EXPECT_EQ(found[0].middleRows(classes[0].rows() + 16, 16), block[0]);

  config.classes[0].target = 99;
  EXPECT_THAT([&] { open_classes(config, probe); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("index 99, must be below 3")));
}

TEST(CheckClasses, OneAtLeastAndNoneTwice) {
  Config config;
  EXPECT_THROW(check_classes(config), std::invalid_argument);
  config.classes = {{"a", 0, "x"}, {"b", 1, "x"}};
  EXPECT_NO_THROW(check_classes(config));
  config.classes[1].name = "a";
  EXPECT_THROW(check_classes(config), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
