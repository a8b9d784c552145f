#include "pipeline/example_shapes.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "data/array/npy.h"
#include "data/array/safetensors.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using Shapes = std::vector<std::vector<Index>>;

TEST(ExampleShapes, ComeFromTheUserOrTheFirstArray) {
  const testing_support::TempFolder folder;
  const std::vector<std::int64_t> ids(14, 1);
  data::write_npy(folder.file("ids.npy"), data::TensorView(ids, {2, 7}));
  data::write_safetensors(folder.file("both.safetensors"),
                          {{"ids", data::TensorView(ids, {2, 7})}, {"mask", data::TensorView(ids, {2, 7})}});
  Config config;
  config.classes = {{"k", 1, folder.path()}};  // a folder has no shape
  config.random = folder.file("ids.npy") + "," + folder.file("ids.npy");
  EXPECT_EQ(example_shapes(config).by_position, (Shapes{{7}, {7}}));
  config.random = folder.file("both.safetensors");
  EXPECT_EQ(example_shapes(config).by_name.at("mask"), (std::vector<Index>{7}));
  EXPECT_TRUE(example_shapes(config).by_position.empty());
  config.random = "nowhere.npy";
  EXPECT_TRUE(example_shapes(config).by_position.empty());
  config.shape = {3, 32, 32};
  EXPECT_EQ(example_shapes(config).by_position, (Shapes{{3, 32, 32}}));
}

}  // namespace
}  // namespace atcav
