#include "report/repair.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Repaired repaired() {
  Repaired found;
  found.model = "folder/m.onnx";
  found.layer = "layer<3>";
  found.tensor = "t";
  found.pool = "mean";
  found.dimension = 12;
  found.concepts = {"watermark"};
  found.n_concept = {30};
  found.n_random = 200;
  RepairedGroup group;
  group.name = "clean";
  group.logit = 1;
  group.inputs = 20;
  group.before = {10, 0.5, {0.3, 0.7}};
  group.after = {16, 0.8, {0.6, 0.9}};
  group.gained = 7;
  group.lost = 1;
  group.share = {0.3, {0.05, 0.5}};
  group.mean_logit = {1.5, {-HUGE_VAL, HUGE_VAL}};
  found.groups = {group};
  found.notes = {"a note"};
  return found;
}

TEST(RepairReport, SaysWhatChangedAndWhereThatIsUnclear) {
  EXPECT_EQ(sentence(repaired().groups.front()),
            "clean: 10 of 20 right before, 16 after: +0.30 (+0.05 to +0.50).");
  RepairedGroup unclear = repaired().groups.front();
  unclear.share.interval.low = -0.1;
  EXPECT_THAT(sentence(unclear), HasSubstr("the interval holds 0"));
}

TEST(RepairReport, JsonHasEveryNumber) {
  const auto json = nlohmann::json::parse(repair_json(repaired()));
  EXPECT_EQ(json["command"], "repair");
  EXPECT_EQ(json["concepts"][0]["n"], 30);
  const auto& group = json["groups"][0];
  EXPECT_EQ(group["top1_after"]["hits"], 16);
  EXPECT_EQ(group["top1_change"]["value"], 0.3);
  EXPECT_TRUE(group["logit_change"]["low"].is_null());
}

TEST(RepairReport, PageIsWholeAndTakesNoNameForHtml) {
  const std::string page = repair_html(repaired(), "atcav repair 'a<b'");
  EXPECT_THAT(page, HasSubstr("layer&lt;3&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("layer<3>")));
  EXPECT_THAT(page, HasSubstr("a&lt;b"));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_LT(page.size(), 60'000U);  // no chart library in it
  Repaired without = repaired();
  without.groups.clear();
  EXPECT_THAT(repair_html(without, ""), HasSubstr("--check names some"));
}

TEST(RepairReport, TableHasALinePerGroup) {
  const std::string table = repair_table(repaired());
  EXPECT_THAT(table, HasSubstr("watermark taken out of layer<3> (30 watermark; 200 random, 12 columns)"));
  EXPECT_THAT(table, HasSubstr("0.50 (0.30–0.70)"));
  EXPECT_THAT(table, HasSubstr("note: a note"));
}

}  // namespace
}  // namespace atcav::report
