#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/paper/paper_html.h"
#include "apps/paper/testing_paper.h"

namespace atcav::paper {
namespace {

TEST(PaperJson, HoldsEveryCurveAndClaim) {
  const auto json = nlohmann::json::parse(paper_json(testing_sections(), {"atcav paper", 50, 7}));
  EXPECT_EQ(json["seed"], 7);
  const auto& figure = json["sections"][0]["figures"][0];
  EXPECT_EQ(figure["curves"][0]["y"], (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(figure["curves"][1]["style"], "dashed");
  EXPECT_EQ(figure["claims"][1]["paper"], 0.55);
  EXPECT_TRUE(figure["claims"][0]["paper"].is_null());
  EXPECT_EQ(figure["claims"][1]["holds"], false);
  EXPECT_EQ(figure["claims"][1]["verdict"], "does not hold");
  ASSERT_EQ(json["claims"].size(), 1U);
  EXPECT_EQ(json["claims"][0]["where"], "Sec. r");
  EXPECT_EQ(json["claims"][0]["figure"], "ratio");
  EXPECT_TRUE(json["claims"][0]["holds"].is_null());
}

TEST(FigureCsv, OneLinePerPoint) {
  EXPECT_EQ(figure_csv(testing_sections()[0].figures[0]),
            "curve,x,y,error\n"
            "\"exact, \"\"u\"\" = 0\",2,0.5,0.01\n"
            "\"exact, \"\"u\"\" = 0\",10,0.25,0.02\n"
            "\"rough\",2,1,\n");
}

}  // namespace
}  // namespace atcav::paper
