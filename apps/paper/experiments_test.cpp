#include "apps/paper/experiments.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

// The reduced version of the whole: every synthetic experiment end to end, every check asserted.
TEST(RunExperiments, AllChecksHoldWithFewRepeats) {
  int calls = 0;
  PaperOptions options{.repeats = 16, .seed = 5};
  options.progress = [&](const std::string&, Index, Index) { ++calls; };
  const std::vector<Section> sections = run_experiments({"synthetic"}, options);
  EXPECT_EQ(sections.size(), 11U);
  EXPECT_EQ(calls, 11);
  for (const Section& section : sections) EXPECT_TRUE(well_formed(section.figures)) << section.name;
  for (const std::string& failed : failed_checks(sections)) ADD_FAILURE() << failed;
}

TEST(RunExperiments, UnknownNamesListTheKnown) {
  try {
    run_experiments({"score"}, {});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("scores, ratio"), std::string::npos);
  }
}

TEST(RunExperimentsOnAModel, HaveEveryFigureOfThePaper) {
  const std::vector<Section> sections =
      run_experiments({"real"}, {.repeats = 3}, [] { return testing_model(); });
  EXPECT_EQ(sections.size(), 6U);
  for (const Section& section : sections) EXPECT_TRUE(well_formed(section.figures)) << section.name;
  EXPECT_TRUE(failed_checks(sections).empty());
}

TEST(RunExperimentsOnAModel, AreThoseThatAreNamed) {
  const std::vector<Section> sections =
      run_experiments({"alpha-star", "vary-s"}, {.repeats = 3}, [] { return testing_model(); });
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].name, "vary-s");
  EXPECT_EQ(sections[1].name, "alpha-star");
}

TEST(RunExperimentsOnAModel, AToyRefutesNothing) {
  const auto verdicts = [](bool toy) {
    RealModel model = testing_model(0.1);
    model.toy = toy;
    Index refuted = 0;
    for (const Section& section : run_experiments({"vary-s"}, {.repeats = 3}, [&] { return model; })) {
      for (const Figure& figure : section.figures)
        refuted += std::ranges::count_if(
            figure.claims, [](const Claim& claim) { return std::string(verdict(claim)) == "does not hold"; });
    }
    return refuted;
  };
  EXPECT_GT(verdicts(false), 0);
  EXPECT_EQ(verdicts(true), 0);
}

TEST(WantsRows, OnlyForTheFigureOfScores) {
  EXPECT_TRUE(wants_rows({}));
  EXPECT_TRUE(wants_rows({"real"}));
  EXPECT_FALSE(wants_rows({"vary-s", "synthetic"}));
}

TEST(RunExperimentsOnAModel, WithoutLayersIsAnError) {
  EXPECT_THROW(run_experiments({"real"}, {}, [] { return RealModel(); }), std::invalid_argument);
}

TEST(FailedChecks, NamesFigureAndClaim) {
  Figure figure;
  figure.id = "f";
  figure.claims = {{"finding", {}, {}, {}, false, false}, {"check", {}, {}, {}, false, true}};
  EXPECT_EQ(failed_checks({{"s", "S", {figure}, 0}}), std::vector<std::string>{"f: check"});
}

}  // namespace
}  // namespace atcav::paper
