#include "atcav/report/given_words.h"

#include <gtest/gtest.h>

#include "atcav/report/testing_given.h"

namespace atcav::report {
namespace {

TEST(GivenSentence, SaysWhichWayAndHowSure) {
  GivenScore given = example_given();
  EXPECT_EQ(given_sentence(given, 0.95, true),
            "along it the logit of zebra rises at layer3; 0.61, 95\u00a0% interval 0.55–0.67 over inputs.");
  given.intervals["1"].interval = {0.3, 0.5};
  EXPECT_EQ(use_of(given), Use::kNoEvidence) << "½ is inside";
  EXPECT_EQ(given_sentence(given, 0.9, false),
            "no clear push towards or away from zebra; 0.61, 90\u00a0% interval 0.30–0.50 over inputs.");
  given.intervals["1"].interval = {0.3, 0.4};
  EXPECT_EQ(use_of(given), Use::kAgainst);
  EXPECT_NE(given_sentence(given, 0.9, false).find("falls"), std::string::npos);
}

}  // namespace
}  // namespace atcav::report
