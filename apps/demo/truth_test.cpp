#include "apps/demo/truth.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace atcav::demo {
namespace {

TEST(DemoTruth, HasARowForEveryConceptAndClass) {
  EXPECT_EQ(demo_truth().size(), demo_concepts().size() * demo_classes().size());
  for (const DemoSet class_set : demo_classes()) {
    for (const DemoSet concept_set : demo_concepts()) {
      const DemoTruth& row = demo_truth(name(concept_set), name(class_set));
      EXPECT_EQ(row.concept_set, concept_set);
      EXPECT_EQ(row.class_set, class_set);
      EXPECT_FALSE(row.why.empty());
    }
  }
}

// The texture of a class's own scenes is what speaks for it; nothing else does.
TEST(DemoTruth, AClassIsSpokenForByItsOwnTextureAlone) {
  const auto texture = [](DemoSet set) {
    Stream stream(1);
    return demo_scene(set, 0, stream).texture;
  };
  for (const DemoTruth& row : demo_truth()) {
    if (row.concept_set == DemoSet::kLeft || row.concept_set == DemoSet::kRed) {
      EXPECT_EQ(row.sign, 0);
    } else {
      EXPECT_EQ(row.sign, texture(row.concept_set) == texture(row.class_set) ? 1 : -1);
    }
  }
}

TEST(DemoTruth, ColourAloneIsInvisible) {
  for (const DemoTruth& row : demo_truth()) EXPECT_EQ(row.encoded, row.concept_set != DemoSet::kRed);
}

TEST(DemoTruth, RefusesUnknownNames) {
  EXPECT_THROW(demo_truth("striped", "lion"), std::invalid_argument);
  EXPECT_THROW(demo_truth("random", "zebra"), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::demo
