#include "apps/demo/scene.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace atcav::demo {
namespace {

Scene scene(Set set, Index i) {
  Stream stream(5, {static_cast<std::uint64_t>(i)});
  return make_scene(set, i % kTurnCount, stream);
}

TEST(Set, NamesAreReadBack) {
  std::set<std::string_view> names;
  for (int i = static_cast<int>(Set::kZebra); i <= static_cast<int>(Set::kRed); ++i) {
    const auto set = static_cast<Set>(i);
    EXPECT_EQ(parse_set(name(set)), set);
    names.insert(name(set));
  }
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(name(Set::kLeft), "left");
  EXPECT_THROW(parse_set("zebras"), std::invalid_argument);
}

TEST(Scene, ClassesAreAnimalsOfOneTexture) {
  const std::array<std::pair<Set, Texture>, 4> classes = {{{Set::kZebra, Texture::kStriped},
                                                           {Set::kLeopard, Texture::kDotted},
                                                           {Set::kHorse, Texture::kPlain},
                                                           {Set::kNeither, Texture::kStripedAndDotted}}};
  for (const auto& [set, texture] : classes) {
    for (Index i = 0; i < 20; ++i) {
      EXPECT_EQ(scene(set, i).shape, Shape::kAnimal);
      EXPECT_EQ(scene(set, i).texture, texture);
    }
  }
}

TEST(Scene, ConceptsHoldNoAnimals) {
  for (const Set set : {Set::kRandom, Set::kStriped, Set::kDotted, Set::kLeft, Set::kRed}) {
    for (Index i = 0; i < 20; ++i) EXPECT_NE(scene(set, i).shape, Shape::kAnimal);
  }
}

// With the same stream, only the attribute the concept is about differs from the random scene.
TEST(Scene, AConceptIsARandomSceneWithOneAttributeFixed) {
  for (Index i = 0; i < 40; ++i) {
    const Scene random = scene(Set::kRandom, i);
    const Scene left = scene(Set::kLeft, i);
    const Scene red = scene(Set::kRed, i);
    const Scene striped = scene(Set::kStriped, i);
    EXPECT_LE(left.x, 0.35);
    EXPECT_EQ(left.texture, random.texture);
    EXPECT_EQ(left.y, random.y);
    EXPECT_EQ(left.grey, random.grey);
    EXPECT_EQ(left.hue, random.hue);
    EXPECT_EQ(red.hue, 0);
    EXPECT_EQ(red.texture, random.texture);
    EXPECT_EQ(red.x, random.x);
    EXPECT_EQ(red.grey, random.grey);
    EXPECT_EQ(striped.texture, Texture::kStriped);
    EXPECT_EQ(striped.x, random.x);
    EXPECT_EQ(striped.hue, random.hue);
    EXPECT_EQ(striped.contrast, random.contrast);
  }
}

TEST(Scene, TexturesTakeTurnsWhereTheyVary) {
  for (const Set set : {Set::kRandom, Set::kLeft, Set::kRed}) {
    std::array<int, 4> count{};
    for (Index i = 0; i < 60; ++i) ++count.at(static_cast<std::size_t>(scene(set, i).texture));
    EXPECT_EQ(count, (std::array<int, 4>{30, 10, 10, 10}));
  }
}

TEST(Scene, RefusesATurnThatIsNone) {
  Stream stream(1);
  EXPECT_THROW(make_scene(Set::kRandom, -1, stream), std::invalid_argument);
  EXPECT_THROW(make_scene(Set::kRandom, kTurnCount, stream), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::demo
