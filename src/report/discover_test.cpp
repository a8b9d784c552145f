#include "report/discover.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Discovered one_found() {
  Discovered found;
  found.config.run.model = "m.onnx";
  found.config.run.classes = {{"zebra", 0, "zebra"}};
  found.config.run.concepts = {{"striped", "striped"}};
  Candidate one;
  one.name = "zebra <1>";
  one.result.concept_name = one.name;
  one.result.class_name = "zebra";
  one.result.layer = "layer3";
  one.result.headline = "1";
  one.result.alpha_tcav["1"] = 0.5;
  one.result.intervals["1"];
  one.result.intervals["tcav"];
  one.use = Use::kFor;
  one.text = "the model uses it for zebra";
  one.baseline_p = 0.004;
  one.nearest = "striped";
  one.nearest_cosine = 0.8;
  one.explained = 0.71;
  one.height = 2;
  one.width = 3;
  one.shown = {{7, "images/a.png", 4, 1.5, {0, 0.5, 1, 0, 1.5, 0}}};
  found.candidates = {one};
  found.families = {{"layer3", "zebra", 1, 2, {{"random images", 0.1, -0.4}, {"random direction", 0, 0.2}}}};
  return found;
}

TEST(DiscoverReport, SaysWhatANamedConceptExplains) {
  Candidate one = one_found().candidates.front();
  EXPECT_EQ(named_words(one),
            "mostly striped (cosine 0.80; the named concepts hold 71 % of its squared length)");
  one.nearest_cosine = 0.4;
  EXPECT_THAT(named_words(one), HasSubstr("partly striped"));
  one.nearest.reset();
  EXPECT_EQ(named_words(one), "");
}

TEST(DiscoverReport, SaysWhatStandsBeside) {
  const Discovered found = one_found();
  EXPECT_EQ(family_words(found, found.families.front()),
            "zebra at layer3: 1 of 1 candidate is used, 0 of them beyond all clusters of random images. "
            "Added in the "
            "same way, 1 cluster of random images moves zebra by up to 0.40 logits, 1 shuffled direction "
            "moves zebra by up to 0.20.");
}

TEST(DiscoverReport, JsonHasThePlaceOfAPatch) {
  const auto json = nlohmann::json::parse(discover_json(one_found()));
  const auto& patch = json["candidates"][0]["patches"][0];
  EXPECT_EQ(patch["file"], "a.png");
  EXPECT_EQ(patch["row"], 1);
  EXPECT_EQ(patch["column"], 1);
  EXPECT_EQ(json["families"][0]["dropped"], 2);
}

TEST(DiscoverReport, PageEscapesNamesAndHasPicturesAndMaps) {
  const std::string page =
      discover_html(one_found(), {{"images/a.png", "data:image/png;base64,AA"}}, "atcav <x>");
  EXPECT_THAT(page, HasSubstr("zebra &lt;1&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("zebra <1>")));
  EXPECT_THAT(page, HasSubstr("src=\"data:image/png;base64,AA\""));
  EXPECT_THAT(page, HasSubstr("\"height\":2"));
  EXPECT_THAT(page, HasSubstr("Mostly striped"));
}

TEST(DiscoverReport, TableHasALinePerCandidate) {
  const std::string table = discover_table(one_found());
  EXPECT_THAT(table, HasSubstr("used for"));
  EXPECT_THAT(table, HasSubstr("striped 0.80"));
}

}  // namespace
}  // namespace atcav::report
