#include "pipeline/score_laws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"

namespace atcav {
namespace {

Rules rules() {
  Options options;
  return score_rules(options, 10, Vector());
}

Matrix scattered(const std::function<double(Stream&)>& draw, Index count = 4000) {
  Stream stream(3);
  Matrix refits(count, 5);
  for (Index i = 0; i < refits.size(); ++i) refits.data()[i] = draw(stream);
  return refits;
}

ScoreLaws laws_of(const Matrix& refits) {
  return score_laws(Vector::Ones(5), Vector::Ones(5), refits, rules());
}

// Medians over five inputs of 4000 draws: standard errors are √(6/4000) = 0.04 and √(24/4000) = 0.08, for
// the exponential about five and ten times that.
TEST(ScoreLaws, KnowTheShapeOfKnownLaws) {
  const ScoreLaws normal = laws_of(scattered([](Stream& stream) { return stream.normal(); }));
  EXPECT_LT(normal.skewness, 0.12);
  EXPECT_NEAR(normal.excess_kurtosis, 0, 0.25);
  EXPECT_TRUE(normal.normal);
  const ScoreLaws skewed = laws_of(scattered([](Stream& stream) { return -std::log(1 - stream.uniform()); }));
  EXPECT_NEAR(skewed.skewness, 2, 0.3);
  EXPECT_NEAR(skewed.excess_kurtosis, 6, 2);
  EXPECT_FALSE(skewed.normal);
  const ScoreLaws flat = laws_of(scattered([](Stream& stream) { return stream.uniform(); }));
  EXPECT_NEAR(flat.excess_kurtosis, -1.2, 0.1);
  EXPECT_TRUE(flat.normal);
}

// A mean of 50 skewed rows is nearly normal: skewness 2/√50.
TEST(ScoreLaws, FewResamplesDoNotMakeALawStrange) {
  const auto mean = [](Stream& stream) {
    double sum = 0;
    for (int i = 0; i < 50; ++i) sum -= std::log(1 - stream.uniform());
    return sum / 50;
  };
  EXPECT_NEAR(laws_of(scattered(mean)).skewness, 2 / std::sqrt(50), 0.12);
  EXPECT_TRUE(laws_of(scattered(mean, 20)).normal);
}

TEST(ScoreLaws, CountInputsWithTwoPeaks) {
  Vector s(4);
  s << 0, 0.01, 3, -3;
  const ScoreLaws laws = score_laws(s, Vector::Ones(4), Matrix::Ones(10, 4), rules());
  const double gamma = std::sqrt(s.squaredNorm() / 4);
  // α = 100: every input's law is far wider than √2 on the logit scale.
  Rules steep = {{"100", stats::alpha_rule(100)}};
  EXPECT_EQ(
      score_laws(Vector::Constant(4, 0.1), Vector::Ones(4), Matrix::Ones(10, 4), steep).two_peaks.at("100"),
      1);
  // α = 3, v = 3/γ = 1.41 < √2: none.
  EXPECT_LT(3 / gamma, std::sqrt(2));
  EXPECT_EQ(laws.two_peaks.at("3"), 0);
  EXPECT_EQ(laws.skewness, 0);
}

// By hand: runs with γ 1 and 3, so 2 on average.
TEST(AlphaTcavOverRuns, IsTheMeanWithTheMeanGamma) {
  Matrix runs(2, 2);
  runs << 1, -1, 3, 3;
  const MultiTcav multi = with_alpha_tcav(MultiTcav{}, runs, rules());
  EXPECT_NEAR(multi.gamma, 2, 1e-7);
  const double s = 1 / (1 + std::exp(-1.5));
  EXPECT_NEAR(multi.alpha_tcav.at("1"), (0.5 + s) / 2, 1e-7);
  EXPECT_EQ(multi.alpha_tcav.count("dagger"), 0);
}

Result with_intervals(const std::function<stats::Interval(double)>& interval) {
  Result result;
  result.examples.emplace();
  result.profile = stats::sensitivity_profile(Vector::Ones(3));
  for (const double alpha : result.profile.alpha)
    result.examples->profile_intervals.push_back(interval(alpha));
  return result;
}

TEST(ReadProfile, AsksOnWhichSideOfAHalfIntervalsLie) {
  const auto read = [](const std::function<stats::Interval(double)>& interval) {
    return read_profile(with_intervals(interval));
  };
  EXPECT_EQ(read([](double) { return stats::Interval{0.6, 0.9}; }), ProfileReading::kRobust);
  EXPECT_EQ(read([](double) { return stats::Interval{0.1, 0.4}; }), ProfileReading::kRobust);
  EXPECT_EQ(read([](double alpha) {
              return stats::Interval{alpha < 0.95 ? 0.4 : 0.51, 0.9};
            }),
            ProfileReading::kRobust);
  EXPECT_EQ(read([](double alpha) {
              return stats::Interval{alpha < 10 ? 0.51 : 0.45, 0.9};
            }),
            ProfileReading::kMarginal);
  EXPECT_EQ(read([](double) { return stats::Interval{0.4, 0.9}; }), ProfileReading::kUndecided);
  EXPECT_EQ(read([](double alpha) {
              return alpha < 5 ? stats::Interval{0.6, 0.9} : stats::Interval{0.1, 0.4};
            }),
            ProfileReading::kUndecided);
}

}  // namespace
}  // namespace atcav
