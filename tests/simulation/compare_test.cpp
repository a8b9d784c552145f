#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "atcav/influences.h"
#include "atcav/random.h"

// One network was trained with a shortcut: a watermark moves its logit too. Everything else it does as the
// other, up to what single inputs make of it. The comparison must find the watermark and nothing else.
namespace atcav {
namespace {

constexpr Index kWide = 24;

struct Networks {
  MatrixF random, striped, dotted, watermark, before, after;

  Networks(std::uint64_t number, bool relu) {
    Stream stream(41, {kTaskSimulation, number, relu ? 1U : 0U});
    const auto rows = [&](Index n, Index column) {
      Matrix values = stream.normal_matrix(n, kWide);
      if (relu) values = (values.array().max(0.0) - 0.39894) / 0.58381;
      if (column >= 0) values.col(column).array() += 1.5;
      return MatrixF(values.cast<float>());
    };
    random = rows(200, -1);
    striped = rows(60, 0);
    watermark = rows(60, 1);
    dotted = rows(60, 2);
    Matrix own = 0.4 * stream.normal_matrix(25, kWide);
    own.col(0).array() += 1;
    before = own.cast<float>();
    own += 0.15 * stream.normal_matrix(25, kWide);
    own.col(1).array() += 0.6;
    after = own.cast<float>();
  }

  // What a run with --influences leaves.
  RunResult run(const MatrixF& gradients) const {
    auto kept = std::make_shared<Influences>();
    kept->classes = {{"truck", gradients.rows()}};
    kept->concepts = {"striped", "watermark", "dotted"};
    LayerResponses layer;
    layer.zero_inputs = {0};
    for (const MatrixF* rows : {&random, &striped, &watermark, &dotted})
      layer.sets.push_back((gradients * rows->transpose()).cast<double>());
    kept->layers.push_back(std::move(layer));
    RunResult run;
    run.influences = std::move(kept);
    return run;
  }
};

TEST(Compare, FindsTheShortcutAndNothingElse) {
  constexpr std::uint64_t kPairs = 400;
  for (const bool relu : {false, true}) {
    std::map<std::string, int> holds;
    std::map<std::string, int> real;
    for (std::uint64_t i = 0; i < kPairs; ++i) {
      const Networks networks(i, relu);
      const RunResult before = networks.run(networks.before);
      const RunResult after = networks.run(networks.after);
      for (const Difference& one : compare(before, after).differences) {
        holds[one.concept_name] += one.logits.interval.low <= 0 && one.logits.interval.high >= 0;
        real[one.concept_name] += one.bonferroni < 0.05;
      }
    }
    const auto share = [&](int count) { return static_cast<double>(count) / static_cast<double>(kPairs); };
    for (const std::string name : {"striped", "dotted", "watermark"})
      fmt::print(
          "{:6} {:10} interval of the difference holds 0 in {:.3f}, differs after correction in {:.3f}\n",
          relu ? "ReLU" : "normal", name, share(holds[name]), share(real[name]));
    EXPECT_EQ(real["watermark"], kPairs);
    // Two standard errors of 0.95 over 800 pairs and concepts are 0.016.
    const double others = share(holds["striped"] + holds["dotted"]) / 2;
    EXPECT_GT(others, 0.93);
    EXPECT_LT(others, 0.97);
  }
}

TEST(Compare, EqualNetworksDifferByExactlyNothing) {
  const Networks networks(1, true);
  const Comparison found = compare(networks.run(networks.before), networks.run(networks.before));
  EXPECT_EQ(found.changed(), 0);
  for (const Difference& one : found.differences) {
    EXPECT_EQ(one.logits.logits, 0);
    EXPECT_EQ(one.logits.interval.high, 0);
    EXPECT_EQ(one.d->logits, 0);
    EXPECT_EQ(one.bonferroni, 1);
  }
}

}  // namespace
}  // namespace atcav
