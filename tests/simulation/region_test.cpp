#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "atcav/evidence.h"
#include "atcav/random.h"
#include "core/parallel.h"
#include "fit/held_out.h"
#include "pass/pass.h"
#include "pass/source.h"
#include "pipeline/concept_regions.h"
#include "pipeline/kept_rows.h"
#include "tests/simulation/use_cells.h"

// Along a region's gradients nothing happens on average: how often does its test say otherwise? The concept
// is a ring around random examples or lies beside them; class inputs are between both.
namespace atcav::simulation {
namespace {

enum class Slopes { kOwn, kShared, kAlong };  // by input; the same for all; along the concept: an effect
constexpr const char* kSlopeNames[] = {"own", "shared", "along"};

struct Setting {
  bool ring;
  Slopes slopes;
  Index random, positive, inputs, columns;
};

double region_p(const Setting& setting, std::uint64_t number) {
  Stream stream(number, {kTaskRepeat, 77, setting.ring ? 1U : 0U});
  Matrix positive = stream.normal_matrix(setting.positive, setting.columns);
  for (auto row : positive.rowwise()) {
    const double angle = 2 * std::numbers::pi * stream.uniform();
    if (setting.ring)
      row.head(2) = 0.4 * row.head(2) + 4 * Eigen::RowVector2d(std::cos(angle), std::sin(angle));
    else
      row(0) += 2;
  }
  const Matrix random = stream.normal_matrix(setting.random, setting.columns);
  Matrix inputs = stream.normal_matrix(setting.inputs, setting.columns);
  inputs.col(0).array() += 1;
  Matrix gradients = stream.normal_matrix(setting.inputs, setting.columns);
  if (setting.slopes != Slopes::kOwn) {
    gradients *= 0.5;
    gradients.col(setting.slopes == Slopes::kShared ? 3 : 0).array() += 1;
  }
  LayerData data;
  data.names.concepts = {"concept"};
  data.names.classes = {{"class", setting.inputs}};
  data.gradients = gradients.cast<float>();
  const MatrixF random_rows = random.cast<float>();
  const MatrixF positive_rows = positive.cast<float>();
  pass::MatrixSource random_source("random", random_rows);
  pass::MatrixSource positive_source("concept", positive_rows);
  data.pass =
      pass::run_pass(data.gradients, {&random_source, &positive_source}, {.gram = true, .threads = 1});
  const auto kept = std::make_shared<KeptRows>(setting.inputs, setting.columns);
  kept->add(0, HostRows(inputs.cast<float>()));
  data.class_rows = kept;
  Options options;
  options.threads = 1;
  options.seed = number;
  const ConceptRegions regions(data, options);
  return regions.of_test({"concept", 1, 0}, fit::held_out_scores(*data.pass, 1, 0, 1)).front().inputs->p;
}

TEST(RegionUse, HoldsItsLevel) {
  const Index count = repeats(16);
  std::vector<Setting> settings;
  for (const bool ring : {true, false}) {
    for (const Slopes slopes : {Slopes::kOwn, Slopes::kShared, Slopes::kAlong}) {
      settings.push_back({ring, slopes, 100, 60, 30, 6});
      if (whole()) settings.push_back({ring, slopes, 200, 60, 30, 40});
    }
  }
  fmt::print("p below 0.05 of {} samples\n{:>6} {:>7} {:>7} {:>7}\n", count, "ring", "slopes", "columns",
             "share");
  for (const Setting& setting : settings) {
    std::vector<double> p(static_cast<std::size_t>(count));
    parallel_for(count, 0, [&](Index k) {
      p[static_cast<std::size_t>(k)] = region_p(setting, static_cast<std::uint64_t>(k));
    });
    const auto below = static_cast<double>(std::ranges::count_if(p, [](double one) { return one < 0.05; }));
    const Share found = share(below, count);
    fmt::print("{:>6} {:>7} {:>7} {:>7.3f} ± {:.3f}\n", setting.ring,
               kSlopeNames[static_cast<int>(setting.slopes)], setting.columns, found.value, found.error);
    if (setting.slopes != Slopes::kAlong) {
      EXPECT_LT(found.value, 0.08 + 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(count)));
    } else if (!setting.ring) {
      EXPECT_GT(found.value, 0.8) << "an effect along the concept is found";
    }
  }
}

}  // namespace
}  // namespace atcav::simulation
