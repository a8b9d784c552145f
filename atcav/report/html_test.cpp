#include "atcav/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "atcav/report/assets.h"
#include "atcav/report/json.h"
#include "atcav/report/testing_results.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kHostile = "</script><b>&\"'<!--{{title}}";

RunResult hostile() {
  RunResult scored = example_scored();
  Result& result = scored.results[0];
  result.concept_name = result.class_name = result.layer = kHostile;
  result.warnings = {kHostile};
  scored.inputs.push_back({kHostile, kHostile, "ab", {3, 4}});
  scored.entanglement.push_back({kHostile, {kHostile, "b"}, Matrix{{1, 0}, {0, 1}}});
  return scored;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

TEST(ResultsHtml, HostileNamesStayText) {
  const std::string page = results_html("score", hostile(), {.command_line = kHostile});
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(page, Not(HasSubstr("<b>&")));
  EXPECT_THAT(page, HasSubstr("{{title}}")) << "names are not templates";
  std::size_t opened = 0;
  std::size_t closed = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++opened;
  for (std::size_t at = 0; (at = page.find("</script", at)) != std::string::npos; ++at) ++closed;
  EXPECT_EQ(opened, 3U);
  EXPECT_EQ(closed, 3U);
}

TEST(ResultsHtml, DataIsResultsJson) {
  const RunResult scored = hostile();
  const std::string page = results_html("score", scored, {});
  const auto data = nlohmann::json::parse(between(page, "id=\"data\">", "</script>"));
  auto expected = nlohmann::json::parse(results_json("score", scored));
  EXPECT_EQ(data["results"][0]["concept"], kHostile);
  EXPECT_EQ(data["results"][1]["profile"], expected["results"][1]["profile"]);
  EXPECT_EQ(data["results"][1]["sensitivities"], expected["results"][1]["sensitivities"]);
  EXPECT_FALSE(data["results"][0].contains("sensitivity_errors"));
}

// With the analytic σ the script needs each input's error.
TEST(ResultsHtml, KeepsErrorsWhenScoresNeedThem) {
  RunResult scored = example_scored();
  scored.options.sigma = Sigma::kAnalytic;
  const std::string page = results_html("score", scored, {});
  EXPECT_TRUE(nlohmann::json::parse(between(page, "id=\"data\">", "</script>"))["results"][0].contains(
      "sensitivity_errors"));
}

// Nothing that a browser would fetch; addresses in the comments of Chart.js are not fetched.
TEST(ResultsHtml, AsksForNothing) {
  const std::string page = results_html("score", example_scored(), {});
  const std::regex fetched(R"((src|href|action|data|poster)\s*=\s*["']?(https?:|//|file:))");
  EXPECT_FALSE(std::regex_search(page, fetched));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr("sourceMappingURL")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(ResultsHtml, SaysHowToReproduce) {
  RunResult scored = example_scored();
  scored.options.seed = 7;
  scored.inputs.push_back({"random", "r.npy", "deadbeef", {3, 4}});
  scored.libraries = {{"Eigen", "3.4.0"}};
  const std::string page = results_html("score", scored, {.command_line = "atcav score"});
  EXPECT_THAT(page, HasSubstr("<code id=\"command\">atcav score</code>"));
  EXPECT_THAT(page, HasSubstr("<dt>Seed</dt><dd>7</dd>"));
  EXPECT_THAT(page, HasSubstr("· Eigen 3.4.0"));
  EXPECT_THAT(page, HasSubstr("<td>3 × 4</td><td><code>deadbeef</code>"));
  EXPECT_EQ(page, results_html("score", scored, {.command_line = "atcav score"}));
}

TEST(ResultsHtml, SaysWhenChartsAreMissing) {
  const std::string page = results_html("score", example_scored(), {});
  const std::string note = between(page, "id=\"charts-note\"", ">");
  EXPECT_EQ(note == " hidden", !assets::library.empty());
}

TEST(ResultsHtml, NeedsAResult) { EXPECT_THROW(results_html("score", {}, {}), std::invalid_argument); }

}  // namespace
}  // namespace atcav::report
