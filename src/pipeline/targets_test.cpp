#include "pipeline/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/array/npy.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

model::Facts facts_with(Index logits) {
  model::Facts facts;
  facts.logit_count = logits;
  return facts;
}

TEST(ClassTarget, ValuesAreMadeOfLogits) {
  MatrixF logits(2, 3);
  logits << 1, 2, 4, 8, 16, 32;
  const auto values = [&](const ClassTarget& target, Index first) {
    const Eigen::VectorXf found = target.values(logits, first);
    return std::vector<float>(found.begin(), found.end());
  };
  EXPECT_THAT(values({{1}, {}, false}, 0), ElementsAre(2, 16));
  EXPECT_THAT(values({{1}, 2, false}, 0), ElementsAre(-2, -16));
  EXPECT_THAT(values({{0}, {}, true}, 0), ElementsAre(-1, -8));
  // Inputs 1 and 2 of a class whose inputs have logits 2, 0, 1.
  EXPECT_THAT(values({{2, 0, 1}, {}, false}, 1), ElementsAre(1, 16));
}

TEST(ClassTarget, OfSomeInputs) {
  const ClassTarget each{{5, 6, 7}, 1, false};
  EXPECT_THAT(each.of({2, 0}).logits, ElementsAre(7, 5));
  EXPECT_EQ(each.of({2, 0}).minus, 1);
  EXPECT_THAT((ClassTarget{{5}, {}, false}.of({2, 0}).logits), ElementsAre(5));
}

TEST(ClassTarget, TextsTellTargetsApart) {
  EXPECT_EQ((ClassTarget{{3}, {}, false}.text()), "3");
  EXPECT_EQ((ClassTarget{{3, 4}, {}, false}.text()), "3,4");
  EXPECT_EQ((ClassTarget{{3}, 4, false}.text()), "3 minus 4");
  EXPECT_EQ((ClassTarget{{0}, {}, true}.text()), "0 negative");
}

TEST(ResolveTarget, RefusesOutputsThatAreNotThere) {
  const auto refused = [](const Target& target, Index logits, const char* why) {
    EXPECT_THAT(
        [&] {
          resolve_target({"zebra", target, "zebra"}, 2, facts_with(logits));
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr(why)));
  };
  refused(3, 3, "class 'zebra' has index 3, must be below 3");
  Target difference = 1;
  difference.minus = 7;
  refused(difference, 3, "has index 7");
  Target negative = 0;
  negative.negative = true;
  refused(negative, 3, "for networks with one logit");
  EXPECT_TRUE(resolve_target({"zebra", negative, ""}, 2, facts_with(1)).negative);
}

TEST(ResolveTarget, ReadsOneIndexPerInput) {
  const testing_support::TempFolder folder;
  const std::vector<std::int64_t> labels = {2, 0, 1};
  data::write_npy(folder.file("labels.npy"), data::TensorView(labels, {3}));
  Target target;
  target.file = folder.file("labels.npy");
  EXPECT_THAT(resolve_target({"each", target, ""}, 3, facts_with(3)).logits, ElementsAre(2, 0, 1));
  EXPECT_THROW(resolve_target({"each", target, ""}, 2, facts_with(3)), std::invalid_argument);
  EXPECT_THROW(resolve_target({"each", target, ""}, 3, facts_with(2)), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
