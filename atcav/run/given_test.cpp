#include "atcav/run/given.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/base/random.h"

namespace atcav {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

// Two directions, classes of three and two inputs, numbers that can be followed by hand.
const LayerDirections kDirections = {"l3", {"ahead", "aside"}, Matrix{{2, 0, 0}, {0, 1, -1}}};
const MatrixF kGradients{{1, 5, 5}, {2, 0, 1}, {-1, 1, 0}, {3, 0, 0}, {0, 0, 0}};
const std::vector<GivenClass> kClasses = {{"zebra", 3}, {"horse", 2}};

Options asking_for(std::vector<std::string> alpha) {
  Options options;
  options.alpha = std::move(alpha);
  return options;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(ScoreGiven, SensitivitiesAndScoresByHand) {
  const std::vector<GivenScore> scores =
      score_given(kDirections, kGradients, kClasses, checked_for_given(asking_for({"2.5"})));
  ASSERT_EQ(scores.size(), 4U);
  const GivenScore& ahead = scores[0];
  EXPECT_EQ(ahead.concept_name, "ahead");
  EXPECT_EQ(ahead.class_name, "zebra");
  EXPECT_EQ(ahead.layer, "l3");
  EXPECT_EQ(ahead.dimension, 3);
  EXPECT_EQ(ahead.n_class, 3);
  EXPECT_EQ(ahead.sensitivities, (std::vector<double>{2, 4, -2}));
  EXPECT_DOUBLE_EQ(ahead.tcav, 2.0 / 3);
  EXPECT_DOUBLE_EQ(ahead.magnitude, 4.0 / 3);
  const double gamma = std::sqrt(8.0) + 1e-8;
  EXPECT_DOUBLE_EQ(ahead.gamma, gamma);
  const auto by_hand = [&](double alpha) {
    return (sigmoid(alpha * 2 / gamma) + sigmoid(alpha * 4 / gamma) + sigmoid(-alpha * 2 / gamma)) / 3;
  };
  ASSERT_EQ(ahead.alpha_tcav.size(), 3U);
  EXPECT_NEAR(ahead.alpha_tcav.at("1"), by_hand(1), 1e-14);
  EXPECT_NEAR(ahead.alpha_tcav.at("3"), by_hand(3), 1e-14);
  EXPECT_NEAR(ahead.alpha_tcav.at("2.5"), by_hand(2.5), 1e-14);
  EXPECT_NEAR(ahead.profile.score.front(), by_hand(0.1), 1e-14);
  EXPECT_EQ(ahead.headline, "2.5");
  // Of 1, 1, 0: variance 1/3, so an error of 1/3; the normal interval reaches beyond both ends' cut.
  const InputsInterval& of_tcav = ahead.intervals.at("tcav");
  EXPECT_NEAR(of_tcav.standard_error, 1.0 / 3, 1e-14);
  EXPECT_NEAR(of_tcav.interval.low, 2.0 / 3 - 1.959963984540054 / 3, 1e-9);
  EXPECT_EQ(of_tcav.interval.high, 1);

  const GivenScore& aside = scores[1];
  EXPECT_EQ(aside.sensitivities, (std::vector<double>{0, -1, 1}));
  EXPECT_DOUBLE_EQ(aside.zero_share, 1.0 / 3);
  EXPECT_THAT(aside.warnings, Contains(StartsWith("33.3 % of the sensitivities are exactly zero")));
  EXPECT_THAT(scores[2].warnings, Contains("1 of 2 inputs have a zero gradient"));
}

TEST(ScoreGiven, LengthsMatterToTheMagnitudeAlone) {
  const Options options = checked_for_given({});
  LayerDirections longer = kDirections;
  longer.rows *= 100;
  const GivenScore a = score_given(kDirections, kGradients, kClasses, options)[0];
  const GivenScore b = score_given(longer, kGradients, kClasses, options)[0];
  EXPECT_EQ(a.headline, "1");
  EXPECT_NEAR(a.alpha_tcav.at("1"), b.alpha_tcav.at("1"), 1e-8) << "the 1e-8 in gamma";
  EXPECT_DOUBLE_EQ(100 * a.magnitude, b.magnitude);
}

TEST(ScoreGiven, ThreadsChangeNothing) {
  Stream stream(3);
  const MatrixF gradients = stream.normal_matrix(40, 1000).cast<float>();
  const LayerDirections directions = {"l", {"a", "b"}, stream.normal_matrix(2, 1000)};
  Options options = checked_for_given({});
  options.threads = 1;
  const auto one = score_given(directions, gradients, {{"c", 40}}, options);
  options.threads = 3;
  const auto three = score_given(directions, gradients, {{"c", 40}}, options);
  EXPECT_EQ(one[1].sensitivities, three[1].sensitivities);
  // The same products in another order of summation: 1e-12 of numbers of size 30.
  const Vector expected = gradients.cast<double>() * directions.rows.row(1).transpose();
  for (Index j = 0; j < 40; ++j) EXPECT_NEAR(one[1].sensitivities[j], expected[j], 1e-11);
}

// Draws of m = 60 inputs from S ~ N(0.4, 1): how often the interval holds the score of endless inputs. 600
// draws scatter by 0.9 %; γ, which the formula holds fixed, varies with the inputs, so a little more or less
// than 95 % is right.
TEST(ScoreGiven, IntervalsCoverTheScoreOfAllInputs) {
  Stream stream(11);
  const LayerDirections along = {"l", {"a"}, Matrix{{1}}};
  const Options options = checked_for_given({});
  const auto draw = [&](Index inputs) -> GivenScore {
    const MatrixF gradients = (stream.normal_matrix(inputs, 1).array() + 0.4).matrix().cast<float>();
    return score_given(along, gradients, {{"c", inputs}}, options)[0];
  };
  const GivenScore endless = draw(1'000'000);
  constexpr int kDraws = 600;
  int covered = 0;
  int covered_tcav = 0;
  for (int i = 0; i < kDraws; ++i) {
    const GivenScore one = draw(60);
    const auto holds = [&](const std::string& key, double truth) {
      const stats::Interval& interval = one.intervals.at(key).interval;
      return interval.low <= truth && truth <= interval.high ? 1 : 0;
    };
    covered += holds("1", endless.alpha_tcav.at("1"));
    covered_tcav += holds("tcav", endless.tcav);
  }
  EXPECT_NEAR(covered / double{kDraws}, 0.95, 0.04);
  EXPECT_NEAR(covered_tcav / double{kDraws}, 0.95, 0.04);
}

TEST(CheckedForGiven, StarAndDaggerNeedTheNoise) {
  for (const char* alpha : {"star", "dagger"}) {
    EXPECT_THAT(
        [&] {
          checked_for_given(asking_for({"3", alpha}));
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr("noise of the CAV")));
  }
  EXPECT_THROW(checked_for_given(asking_for({"-1"})), std::invalid_argument);
  EXPECT_EQ(checked_for_given({}).permutations, 999);
}

}  // namespace
}  // namespace atcav
