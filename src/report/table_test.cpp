#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "atcav/report.h"
#include "report/findings.h"
#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string table_of(std::vector<Result> results, bool colour = false, std::size_t width = 100) {
  RunResult run;
  run.results = std::move(results);
  return results_table(run, {colour, width});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void expect_narrow(const std::string& text, std::ptrdiff_t most) {
  for (const std::string& line : lines_of(text)) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(columns, most) << line;
  }
}

TEST(ResultsTable, ShowsEffectIntervalAndP) {
  const std::string text = table_of({example_result()});
  EXPECT_THAT(text, HasSubstr("concept  class           effect d [95 %]       logits  p corr.  α-TCAV"));
  EXPECT_THAT(text,
              HasSubstr("striped  zebra @ layer3  +1.40 [+0.80, +2.00]  +1.57   0.001    0.91    0.75"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(table_of({example_result()}, true), HasSubstr("\x1b[32m"));
}

TEST(ResultsTable, SaysThatDIsUndefined) {
  EXPECT_THAT(table_of({example_undefined()}),
              HasSubstr("silent   zebra @ layer3  undefined        +1.57   0.001"));
}

TEST(ResultsTable, OfGivenDirectionsHasWhatIsKnown) {
  const std::string text = results_table(example_given_run(), {});
  EXPECT_THAT(text, HasSubstr("direction  class           logits [95 %]         p corr.  α-TCAV  TCAV        "
                              "       inputs  !\n"));
  EXPECT_THAT(
      text,
      HasSubstr("striped    zebra @ layer3  +1.02 [-0.44, +2.49]  0.113    0.610   0.75 [0.55, 0.67]  4\n"));
  EXPECT_THAT(text, HasSubstr("note: directions were given\n"));
  EXPECT_THAT(text, HasSubstr("error from having drawn these inputs, and no other"));
  EXPECT_THAT(text, Not(HasSubstr("acc.")));
  EXPECT_THAT(results_table(example_run(), {}), Not(HasSubstr("having drawn")));
}

TEST(ResultsTable, FitsTheWidth) {
  for (Result result : {example_result(), example_given()}) {
    result.concept_name = "a concept with a very long name indeed, and ümläuts";
    result.class_name = "an even longer class name than that";
    result.layer = "/features/features.17/conv/conv.2";
    result.headline = "1.23456789";
    result.alpha_tcav[result.headline] = 0.5;
    result.intervals[result.headline] = {};
    result.warnings = {"few examples, and a sentence about it that goes on and on until a line is full"};
    RunResult run;
    run.options.level = 0.999;
    run.results = {result, result};
    run.notes = {std::string(250, 'x')};
    for (const std::size_t width : {80, 100, 130}) expect_narrow(results_table(run, {false, width}), width);
    const std::string whole = "an even longer class name than that @ /features/features.17/conv/conv.2";
    EXPECT_THAT(results_table(run, {false, 100}), Not(HasSubstr(whole + "  ")));
    EXPECT_THAT(results_table(run, {false, 200}), HasSubstr(whole + "  "));
  }
}

TEST(ResultsTable, RowsStayDifferentHoweverNarrow) {
  std::vector<Result> results;
  for (const char* layer : {"/features/features.16/conv/conv.2", "/features/features.17/conv/conv.2"}) {
    for (const char* name : {"a texture with many narrow stripes", "a texture with many narrow strands"})
      results.push_back(example_result(name, layer));
  }
  for (const std::size_t width : {40, 60, 80, 100, 300}) {
    std::vector<std::string> rows = lines_of(table_of(results, false, width));
    std::set<std::string> distinct(rows.begin() + 1, rows.begin() + 5);
    EXPECT_EQ(distinct.size(), 4U) << width;
  }
}

TEST(ResultsTable, NamesTheColumnsThatAreLeftOut) {
  EXPECT_THAT(table_of({example_result()}, false, 80), HasSubstr("not shown in 80 columns: TCAV\n"));
  const std::string narrow = table_of({example_result()}, false, 64);
  EXPECT_THAT(narrow, HasSubstr("not shown in 64 columns: TCAV, logits, α-TCAV\n"));
  EXPECT_THAT(narrow, HasSubstr("concept  class           effect d [95 %]       p corr.  acc.  !\n"));
  EXPECT_THAT(table_of({example_result()}), Not(HasSubstr("not shown")));
}

TEST(ResultsTable, NamesCannotBreakTheLines) {
  Result result = example_result("two\nlines");
  result.class_name = "\x1b[31mred";
  result.warnings = {"saturated"};
  const std::string text = table_of({result});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ResultsTable, EndsWithWarningsAndNotes) {
  RunResult run = example_run();
  run.results[0].warnings = run.results[1].warnings = {"saturated"};
  run.notes = {"no corrected p can be below 0.2"};
  EXPECT_THAT(results_table(run, {}), HasSubstr("\n! striped / zebra, dotted / zebra: saturated\n"
                                                "note: no corrected p can be below 0.2\n"));
  EXPECT_EQ(results_table({}, {}), "no results\n");
}

TEST(ResultsTable, WarningsWithOtherNumbersAreOneParagraph) {
  std::vector<Result> results;
  for (const char* name : {"a", "b", "c", "d"}) {
    results.push_back(example_result(name));
    results.back().warnings = {fmt::format("the logit moves by {}.5", results.size())};
  }
  EXPECT_THAT(table_of(results),
              HasSubstr("\n! 4 results (4 concepts; zebra), for example a / zebra: the logit "
                        "moves by 1.5\n"));
}

TEST(ResultsTable, SaysWhatTheNetworkDid) {
  std::vector<Result> results = {example_result("striped", "layer3"), example_result("striped", "layer4")};
  for (Result& result : results) {
    Intervention& found = result.intervention.emplace();
    found.classes = 10;
    DoseResponse& random = found.random.emplace();
    random.odd = {1, 3};
    random.low = {0.5, 1.5};
    random.high = {1.5, 4.5};
    random.bonferroni = {0.01, 0.01};
    random.rank = {1, 1};
  }
  results[0].intervention->random->bonferroni.back() = 1;
  EXPECT_THAT(
      table_of(results),
      HasSubstr("\nstriped @ layer3: Gradients at zebra inputs point towards zebra (+1.57 logits), but"));
  EXPECT_THAT(table_of(results), HasSubstr("striped @ layer4: the model uses it for zebra: adding striped"));
}

TEST(ResultsTable, ShowsThoseOfVeryManyThatTellMost) {
  std::vector<Result> results(250, example_given());
  results[240].concept_name = "telling";
  results[240].given->bonferroni = 0.001;
  const std::string text = table_of(results);
  EXPECT_THAT(text, HasSubstr("\ntelling"));
  EXPECT_THAT(text, HasSubstr("200 of 250 results, those with the smallest p; the report has all"));
  EXPECT_EQ(std::ranges::count(text, '@'), 200);
}

TEST(ResultsTable, ColoursGivenDirectionsByTheirCorrectedTest) {
  Result against = example_given();
  against.effect.logits = -1;
  against.given->bonferroni = 0.01;
  Result towards = example_given();
  towards.given->bonferroni = 0.01;
  const std::string text = table_of({towards, against, example_given()}, true);
  EXPECT_THAT(text, HasSubstr("\x1b[32mstriped"));
  EXPECT_THAT(text, HasSubstr("\x1b[31mstriped"));
  EXPECT_THAT(text, HasSubstr("\nstriped"));
}

using testing::HasSubstr;
using testing::Not;

TEST(ScoreTable, HasOneRowPerResultWithItsNumber) {
  Result second = example_result("a<b");
  second.warnings = {"one", "two"};
  const std::string html = score_table_html({example_result(), second}, 0.95);
  EXPECT_THAT(html,
              HasSubstr("<tr data-i=\"0\" class=\"for\"><th scope=\"row\"><a href=\"#closer\">striped</a>"));
  EXPECT_THAT(html, HasSubstr("a&lt;b"));
  EXPECT_THAT(html, HasSubstr("data-v=\"1.4\">+1.40 <small>+0.80 to +2.00</small>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#warnings\">2</a>"));
  EXPECT_THAT(html, Not(HasSubstr("layer3")));
}

TEST(ScoreTable, OfGivenDirectionsHasNoColumnsAboutExamples) {
  const std::string html = score_table_html({example_given()}, 0.95);
  for (const char* key : {"posterior", "accuracy", "logits"})
    EXPECT_THAT(html, Not(HasSubstr(std::string("data-key=\"") + key + "\""))) << key;
  EXPECT_THAT(html, HasSubstr("data-key=\"p\" class=\"number\">p over inputs, corrected"));
  EXPECT_THAT(html, HasSubstr("intervals over inputs</caption>"));
  EXPECT_THAT(html, HasSubstr("data-v=\"4\">4</td>"));
}

TEST(ScoreTable, HasWhatCanBeSeenClosely) {
  const std::string html = score_table_html(std::vector<Result>(201, example_result()), 0.95);
  EXPECT_THAT(html, HasSubstr("<tr data-i=\"199\" class=\"for\"><th scope=\"row\"><a href"));
  EXPECT_THAT(html, Not(HasSubstr("<tr data-i=\"200\"")));
}

TEST(ScoreTable, NamesLayersWhenThereAreSeveral) {
  const std::string html =
      score_table_html({example_result("striped", "layer2"), example_result("striped", "layer3")}, 0.95);
  EXPECT_THAT(html, HasSubstr("data-key=\"layer\""));
  EXPECT_THAT(html, HasSubstr("<td class=\"place\">layer2</td>"));
}

}  // namespace
}  // namespace atcav::report
