#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "report/assets.h"
#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kHostile = "</script><b>&\"'<!--{{title}}";

RunResult hostile() {
  RunResult run = example_run();
  Result& result = run.results[0];
  result.concept_name = result.class_name = result.layer = kHostile;
  result.warnings = {kHostile};
  run.inputs.push_back({{Role::Kind::kConcept, kHostile}, kHostile, "ab", {3, 4}});
  run.entanglement.push_back({kHostile, {kHostile, "b"}, Matrix{{1, 0}, {0, 1}}});
  return run;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

nlohmann::json data_of(const std::string& page) {
  return nlohmann::json::parse(between(page, "id=\"data\">", "</script>"));
}

TEST(ResultsHtml, HostileNamesStayText) {
  const std::string page = results_html(hostile(), {.command_line = kHostile});
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

TEST(ResultsHtml, DataAreTheResultsInShort) {
  RunResult run = hostile();
  run.results[1].alpha_tcav["dagger"] = 0.123456789;
  const auto data = data_of(results_html(run, {}));
  EXPECT_EQ(data["names"]["concept"][0], kHostile);
  EXPECT_EQ(data["columns"]["concept"], (std::vector<int>{0, 1}));
  EXPECT_EQ(data["columns"]["tcav_low"][1], 0.86);
  EXPECT_EQ(data["columns"]["inputs"][1], 4);
  const auto& result = data["details"]["1"];
  EXPECT_EQ(result["scores"]["dagger"], 0.12346);
  EXPECT_EQ(result["intervals"]["tcav"], (std::vector<double>{0.86, 0.95}));
  EXPECT_EQ(result["alpha"]["dagger"], 4.5);
  EXPECT_EQ(result["profile"]["low"], std::vector<double>(31, 0.5));
  EXPECT_EQ(result["positive"], 3);
  EXPECT_EQ(result["most"][0], (std::vector<double>{1, 1.5396})) << "2 over √(6.75/4)";
  EXPECT_EQ(result["least"][0][0], 2);
}

// Held-out scores -1, 0, ½ and 1, 3 around the threshold 0.75: 24 bins of 4/24, one of whose edges is the
// threshold.
TEST(ResultsHtml, HistogramsHaveAnEdgeAtTheThreshold) {
  const auto data = data_of(results_html(example_run(), {}));
  const auto& bins = data["details"]["0"]["held_out"]["histogram"];
  const double from = bins["from"];
  const double width = bins["width"];
  EXPECT_NEAR(width, 4.0 / 24, 1e-5);
  const double edges = (0.75 - from) / width;
  EXPECT_NEAR(edges, std::round(edges), 1e-3) << "of five digits";
  std::vector<std::vector<double>> at(2);
  for (std::size_t set = 0; set < 2; ++set) {
    for (std::size_t i = 0; i < bins["counts"][set].size(); ++i) {
      if (bins["counts"][set][i] > 0) at[set].push_back(from + width * (static_cast<double>(i) + 0.5));
    }
  }
  EXPECT_THAT(at[0], ElementsAre(DoubleNear(-1, width), DoubleNear(0, width), DoubleNear(0.5, width)));
  EXPECT_THAT(at[1], ElementsAre(DoubleNear(1, width), DoubleNear(3, width)));
}

// Terms s(S/γ) at α = 1: their mean ± 1.96 standard errors.
TEST(ResultsHtml, GivenDirectionsHaveWhatIsKnownOfThem) {
  RunResult run = example_given_run();
  run.entanglement = {{"layer3", {"dotted", "<b>"}, Matrix{{1, -0.25}, {-0.25, 1}}}};
  const std::string page = results_html(run, {.command_line = "atcav run --cavs x"});
  EXPECT_THAT(page, HasSubstr("<h1>What given directions do to zebra</h1>"));
  EXPECT_THAT(page, HasSubstr("<strong>striped:</strong> no clear push towards or away from zebra: +1.02"));
  EXPECT_THAT(page, HasSubstr("<td class=\"negative\" style=\"--size:15%\">−0.25</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">&lt;b&gt;</th>"));
  EXPECT_THAT(page, HasSubstr("<li>directions were given</li>"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  const auto data = data_of(page);
  const auto& result = data["details"]["0"];
  for (const char* unknown : {"alpha", "held_out"}) EXPECT_FALSE(result.contains(unknown));
  EXPECT_FALSE(data["columns"].contains("accuracy"));
  EXPECT_NEAR(data["columns"]["p"][0], 0.1126, 1e-4) << "2 P(t₃ > 2.225), over inputs";
  double sum = 0;
  double squares = 0;
  for (const double s : {1.5, 2.0, -0.1, 0.7}) {
    const double term = 1 / (1 + std::exp(-s / std::sqrt(6.75 / 4)));
    sum += term;
    squares += term * term;
  }
  const double error = std::sqrt((squares - sum * sum / 4) / 3 / 4);
  EXPECT_NEAR(result["profile"]["low"][10], sum / 4 - 1.959964 * error, 1e-5);
}

TEST(ResultsHtml, ManyResultsMakeABoundedPage) {
  RunResult run = example_run();
  const std::size_t two = results_html(run, {}).size();
  EXPECT_THAT(results_html(run, {}), HasSubstr("<p class=\"note\" hidden>The 200 strongest"));
  run.results.assign(300, example_result());
  for (Result& result : run.results) result.sensitivities.assign(500, 0.123456789);
  run.entanglement.push_back({"", std::vector<std::string>(300, "a"), Matrix::Ones(300, 300)});
  const std::string page = results_html(run, {});
  EXPECT_LT(page.size() - two, 300 * 6000U);
  EXPECT_THAT(page, HasSubstr("<p class=\"note\" >The 200 strongest of 300 results"));
  EXPECT_THAT(page, HasSubstr("(the first 30 of 300; results.json has all)"));
  const auto data = data_of(page);
  EXPECT_EQ(data["columns"]["concept"].size(), 300U);
  EXPECT_TRUE(data["details"].contains("199"));
  EXPECT_FALSE(data["details"].contains("200"));
}

// Nothing that a browser would fetch; addresses in the comments of Chart.js are not fetched.
TEST(ResultsHtml, AsksForNothing) {
  const std::string page = results_html(example_run(), {});
  const std::regex fetched(R"((src|href|action|data|poster)\s*=\s*["']?(https?:|//|file:))");
  EXPECT_FALSE(std::regex_search(page, fetched));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr("sourceMappingURL")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(ResultsHtml, PicturesMustLieInThePage) {
  const std::string picture = "data:image/png;base64,AA==";
  std::vector<Thumbnail> list = {{"a", picture}, {"b", picture}, {"c", ""}, {"d", picture}};
  const auto data = data_of(results_html(example_run(), {.thumbnails = {{"zebra", list}, {"other", {}}}}));
  EXPECT_EQ(data["thumbnails"]["zebra"]["1"], (nlohmann::json{{"name", "b"}, {"uri", picture}}));
  EXPECT_EQ(data["thumbnails"].size(), 1U);
  list[1].uri = "https://example.org/a.png";
  EXPECT_THROW(results_html(example_run(), {.thumbnails = {{"zebra", list}}}), std::invalid_argument);
  list.pop_back();
  EXPECT_THROW(results_html(example_given_run(), {.thumbnails = {{"zebra", list}}}), std::invalid_argument);
}

TEST(ResultsHtml, SaysHowToReproduce) {
  RunResult run = example_run();
  run.options.seed = 7;
  run.inputs.push_back({Role::Kind::kRandom, "r.npy", "deadbeef", {3, 4}});
  run.libraries = {{"Eigen", "3.4.0"}};
  const std::string page = results_html(run, {.command_line = "atcav score"});
  EXPECT_THAT(page, HasSubstr("<code id=\"command\">atcav score</code>"));
  EXPECT_THAT(page, HasSubstr("<dt>Seed</dt><dd>7</dd>"));
  EXPECT_THAT(page, HasSubstr("cav pattern, lambda"));
  EXPECT_THAT(page, HasSubstr("· Eigen 3.4.0"));
  EXPECT_THAT(page, HasSubstr("<td>3 × 4</td><td><code>deadbeef</code>"));
  EXPECT_EQ(page, results_html(run, {.command_line = "atcav score"}));
}

TEST(ResultsHtml, SaysWhenChartsAreMissing) {
  const std::string page = results_html(example_run(), {});
  const std::string note = between(page, "id=\"charts-note\"", ">");
  EXPECT_EQ(note == " hidden", !assets::library.empty());
}

TEST(ResultsHtml, NeedsAResult) { EXPECT_THROW(results_html({}, {}), std::invalid_argument); }

// 100 concepts × 20 layers × 10 classes, without pictures.
TEST(ResultsHtml, TwentyThousandResultsTakeLessThanFiveMegabytes) {
  RunResult run = example_run();
  Result one = run.results[0];
  one.sensitivities.assign(60, 0.123456789);
  one.examples->accuracy.random_scores.assign(200, 0.123456789);
  one.examples->accuracy.concept_scores.assign(100, 0.987654321);
  one.warnings = {"a warning that all of them have, which names every place"};
  run.results.assign(20000, one);
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    Result& result = run.results[i];
    result.concept_name = "concept " + std::to_string(i % 100);
    result.class_name = "class " + std::to_string(i / 100 % 10);
    result.layer = "layer" + std::to_string(i / 1000);
    result.effect.d = 0.123456 + static_cast<double>(i % 977) / 977;
  }
  for (int layer = 0; layer < 20; ++layer)
    run.entanglement.push_back(
        {"layer" + std::to_string(layer), std::vector<std::string>(100, "concept"), Matrix::Ones(100, 100)});
  EXPECT_LT(results_html(run, {}).size(), 4'000'000U);
}

}  // namespace
}  // namespace atcav::report
