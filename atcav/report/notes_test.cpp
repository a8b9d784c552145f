#include "atcav/report/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atcav/report/testing_results.h"

namespace atcav::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// 999 relabellings give p of 0.001 at best: with 50 tests 0.05, which is not below 1 - 0.95.
TEST(GeneralNotes, SayWhenNothingCanBeSignificant) {
  RunResult scored = example_scored();
  EXPECT_THAT(general_notes(scored), IsEmpty());
  scored.results.assign(51, example_result());
  EXPECT_THAT(general_notes(scored), ElementsAre(HasSubstr("no corrected p can be below 0.051")));
  scored.options.permutations = 1999;
  scored.notes = {"3 images are in two sets"};
  EXPECT_THAT(general_notes(scored), ElementsAre("3 images are in two sets"));
  scored.notes.clear();
  EXPECT_THAT(general_notes(scored), IsEmpty());
}

TEST(Warnings, AreSaidOnceWithTheirResults) {
  RunResult scored = example_scored();
  EXPECT_EQ(warnings_html(scored), "");
  scored.results[0].warnings = {"few <examples>"};
  scored.results[1].warnings = {"few <examples>", "saturated"};
  const std::string html = warnings_html(scored);
  EXPECT_THAT(html, HasSubstr("<strong>striped / zebra, dotted / zebra:</strong> few &lt;examples&gt;"));
  EXPECT_THAT(html, HasSubstr("<strong>dotted / zebra:</strong> saturated"));
}

}  // namespace
}  // namespace atcav::report
