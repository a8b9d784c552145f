#include "apps/demo/scene.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace atcav::demo {
namespace {

DemoScene scene(DemoSet set, Index i) {
  Stream stream(5, {static_cast<std::uint64_t>(i)});
  return demo_scene(set, i % kDemoTurns, stream);
}

TEST(DemoSet, NamesAreReadBack) {
  std::set<std::string_view> names;
  for (const DemoSet set : demo_sets()) {
    EXPECT_EQ(parse_demo_set(name(set)), set);
    names.insert(name(set));
  }
  EXPECT_EQ(names.size(), demo_sets().size());
  EXPECT_THROW(parse_demo_set("zebras"), std::invalid_argument);
}

TEST(DemoScene, ClassesAreAnimalsOfOneTexture) {
  const std::array<std::pair<DemoSet, DemoTexture>, 4> classes = {
      {{DemoSet::kZebra, DemoTexture::kStriped},
       {DemoSet::kLeopard, DemoTexture::kDotted},
       {DemoSet::kHorse, DemoTexture::kPlain},
       {DemoSet::kNeither, DemoTexture::kStripedAndDotted}}};
  for (const auto& [set, texture] : classes) {
    for (Index i = 0; i < 20; ++i) {
      EXPECT_EQ(scene(set, i).shape, DemoShape::kAnimal);
      EXPECT_EQ(scene(set, i).texture, texture);
    }
  }
}

TEST(DemoScene, ConceptsHoldNoAnimals) {
  for (const DemoSet set :
       {DemoSet::kRandom, DemoSet::kStriped, DemoSet::kDotted, DemoSet::kLeft, DemoSet::kRed}) {
    for (Index i = 0; i < 20; ++i) EXPECT_NE(scene(set, i).shape, DemoShape::kAnimal);
  }
}

// With the same stream, only the attribute the concept is about differs from the random scene.
TEST(DemoScene, AConceptIsARandomSceneWithOneAttributeFixed) {
  for (Index i = 0; i < 40; ++i) {
    const DemoScene random = scene(DemoSet::kRandom, i);
    const DemoScene left = scene(DemoSet::kLeft, i);
    const DemoScene red = scene(DemoSet::kRed, i);
    const DemoScene striped = scene(DemoSet::kStriped, i);
    EXPECT_LE(left.x, 0.35);
    EXPECT_EQ(left.texture, random.texture);
    EXPECT_EQ(left.y, random.y);
    EXPECT_EQ(left.grey, random.grey);
    EXPECT_EQ(left.hue, random.hue);
    EXPECT_EQ(red.hue, 0);
    EXPECT_EQ(red.texture, random.texture);
    EXPECT_EQ(red.x, random.x);
    EXPECT_EQ(red.grey, random.grey);
    EXPECT_EQ(striped.texture, DemoTexture::kStriped);
    EXPECT_EQ(striped.x, random.x);
    EXPECT_EQ(striped.hue, random.hue);
    EXPECT_EQ(striped.contrast, random.contrast);
  }
}

TEST(DemoScene, TexturesTakeTurnsWhereTheyVary) {
  for (const DemoSet set : {DemoSet::kRandom, DemoSet::kLeft, DemoSet::kRed}) {
    std::array<int, 4> count{};
    for (Index i = 0; i < 60; ++i) ++count.at(static_cast<std::size_t>(scene(set, i).texture));
    EXPECT_EQ(count, (std::array<int, 4>{30, 10, 10, 10}));
  }
}

TEST(DemoScene, RefusesATurnThatIsNone) {
  Stream stream(1);
  EXPECT_THROW(demo_scene(DemoSet::kRandom, -1, stream), std::invalid_argument);
  EXPECT_THROW(demo_scene(DemoSet::kRandom, kDemoTurns, stream), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::demo
