#include "report/explained.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/words.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Explained example() {
  return {"zebra",
          "add_72",
          200,
          0.41,
          {0.35, 0.47},
          {0.04, 0.02},
          0.63,
          {{"striped", 0.3, {0.24, 0.36}}, {"dotted", 0.13, {0.1, 0.16}}, {"<b>", -0.02, {-0.05, 0.01}}},
          {"striped", "dotted", "<b>"}};
}

TEST(ExplainedWords, SayShareIntervalAndWhatChanceExplains) {
  EXPECT_EQ(
      explained_words(example(), false),
      "Of the variance of zebra's logit over 200 random inputs, striped, dotted and <b> explain 41\u00a0% "
      "(35 to 47); 3 random directions explain 4\u00a0%, all that is linear in the layer at least "
      "63\u00a0%. Shapley shares: striped 30\u00a0%, dotted 13\u00a0%, <b> 0\u00a0%.");
  EXPECT_THAT(explained_words(example(), true), HasSubstr("(35 to 47) at add_72;"));
}

// By chance below 0: nothing; one concept is no plural; a ceiling below the share is the share.
TEST(ExplainedWords, OfNothingAndOfOneConcept) {
  Explained one = example();
  one.concepts.resize(1);
  one.shapley.resize(1);
  one.share = -0.02;
  one.interval = {-0.06, 0.01};
  one.random.mean = -0.001;
  one.ceiling = -0.05;
  EXPECT_EQ(
      explained_words(one, false),
      "Of the variance of zebra's logit over 200 random inputs, striped explains 0\u00a0% (0 to 1); 1 random "
      "direction explains none, all that is linear in the layer at least 0\u00a0%.");
}

TEST(ExplainedHtml, HasARowForEachAndEscapesNames) {
  EXPECT_EQ(explained_html({}), "");
  const std::string page = explained_html({example()});
  EXPECT_THAT(page, HasSubstr("41\u00a0% (35 to 47)"));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<span><b>")));
}

}  // namespace
}  // namespace atcav::report
