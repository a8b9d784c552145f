#include "apps/paper/vary_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/base/parallel.h"
#include "apps/paper/agreement.h"
#include "atcav/stats/score.h"
#include "atcav/stats/distribution.h"

namespace atcav::paper {
namespace {

constexpr Index kBudget = 1000;
const std::vector<Index> kRuns = {2, 5, 10, 20, 50};
const std::vector<std::string> kMethods = {"Multi-TCAV", "α = 1", "α = 3", "α*", "α†"};

// draws × methods.
Matrix draw_scores(const RealCase& one, Index runs, const PaperOptions& options) {
  const span::MeanRefitter refitter(one.random, one.of_concept, false);
  const std::vector<stats::ScoreRule> rules = {
      stats::alpha_rule(1), stats::alpha_rule(3),
      stats::effective_rule(std::sqrt(static_cast<double>(runs - 1))), stats::effective_rule()};
  Matrix scores(4 * options.repeats, static_cast<Index>(kMethods.size()));
  parallel_for(scores.rows(), options.threads, [&](Index i) {
    Stream stream(options.seed, {kTaskRepeat, key_word(one.label), static_cast<std::uint64_t>(runs),
                                 static_cast<std::uint64_t>(i)});
    const DrawnRows rows = draw_rows(refitter, kBudget, false, stream);
    const Vector full = refitter.sensitivities(rows.random, rows.of_concept);
    scores(i, 0) = multi_tcav(refitter, rows, runs);
    for (std::size_t k = 0; k < rules.size(); ++k)
      scores(i, static_cast<Index>(k) + 1) = stats::score(full, rules[k]);
  });
  return scores;
}

Figure panel(const RealCase& one, std::size_t number, bool variance) {
  Figure figure;
  figure.id = fmt::format("vary_s_{}_{}", variance ? "variance" : "mean", number);
  figure.title = fmt::format("{}: {} over runs", one.label, variance ? "variance" : "mean score");
  figure.caption = fmt::format("Budget {} random examples; the concept’s stay whole.", kBudget);
  figure.x = {"runs s", true, {}};
  figure.y = {variance ? "variance" : "mean", variance, {}};
  for (std::size_t k = 0; k < kMethods.size(); ++k) {
    figure.curves.push_back({kMethods[k], {}, {}, {}, Style::kJoined, static_cast<int>(k), true});
  }
  return figure;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// ratios[method - 1][s] over cases, as a figure with the paper's numbers.
Figure summary(const std::vector<std::vector<std::vector<double>>>& ratios, Index draws) {
  Figure figure;
  figure.id = "vary_s_ratios";
  figure.title = "Variance of α-TCAV over variance of Multi-TCAV";
  figure.caption = fmt::format(
      "Lines: median over all cases; points: each case, from {} draws (a ratio of two variances of that many "
      "draws is "
      "good to about {:.0f} %). Cases where Multi-TCAV does not vary are left out.",
      draws, 200 / std::sqrt(static_cast<double>(draws)));
  figure.x = {"runs s", true, {}};
  figure.y = {"variance ratio", true, {}};
  Curve predicted{"the paper’s r(s)", {}, {}, {}, Style::kDashed, 6, true};
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    Curve line{kMethods[k + 1], {}, {}, {}, Style::kLine, static_cast<int>(k) + 1, true};
    Curve points{kMethods[k + 1] + ", cases", {}, {}, {}, Style::kPoints, static_cast<int>(k) + 1, false};
    for (std::size_t s = 0; s < kRuns.size(); ++s) {
      if (ratios[k][s].empty()) continue;
      line.x.push_back(static_cast<double>(kRuns[s]));
      line.y.push_back(median(ratios[k][s]));
      for (const double ratio : ratios[k][s]) {
        points.x.push_back(static_cast<double>(kRuns[s]));
        points.y.push_back(ratio);
      }
    }
    figure.curves.push_back(line);
    figure.curves.push_back(points);
  }
  for (const Index runs : kRuns) {
    predicted.x.push_back(static_cast<double>(runs));
    predicted.y.push_back(stats::variance_ratio_approximate(runs));
  }
  figure.curves.push_back(predicted);
  for (std::size_t s = 0; s < kRuns.size(); ++s) {
    if (ratios[0][s].empty()) continue;
    const double one = median(ratios[0][s]);
    figure.claims.push_back({fmt::format("α = 1, s = {}: median ratio (the paper has 0.08–0.13)", kRuns[s]),
                             0.13,
                             one,
                             {},
                             one >= 0.06 && one <= 0.16});
  }
  for (std::size_t s = 0; s < kRuns.size(); ++s) {
    if (ratios[2][s].empty()) continue;
    const double star = median(ratios[2][s]);
    const double rough = stats::variance_ratio_approximate(kRuns[s]);
    figure.claims.push_back({fmt::format("α*, s = {}: median ratio (the paper has r(s))", kRuns[s]),
                             rough,
                             star,
                             {},
                             std::abs(star / rough - 1) < 0.25});
  }
  std::size_t lower = 0;
  std::size_t all = 0;
  for (const std::vector<double>& of_runs : ratios[2]) {
    all += of_runs.size();
    lower += static_cast<std::size_t>(
        std::count_if(of_runs.begin(), of_runs.end(), [](double r) { return r < 1; }));
  }
  const double part = all == 0 ? 0 : static_cast<double>(lower) / static_cast<double>(all);
  figure.claims.push_back(
      {"α* has lower variance than Multi-TCAV in every case (share of cases)", 1.0, part, {}, lower == all});
  return figure;
}

}  // namespace

std::vector<Figure> vary_runs(const std::vector<RealCase>& cases, const PaperOptions& options) {
  std::vector<Figure> figures;
  std::vector<std::vector<std::vector<double>>> ratios(kMethods.size() - 1,
                                                       std::vector<std::vector<double>>(kRuns.size()));
  for (std::size_t c = 0; c < cases.size(); ++c) {
    if (options.progress) options.progress("vary s", static_cast<Index>(c), static_cast<Index>(cases.size()));
    std::vector<Figure> panels = {panel(cases[c], c + 1, false), panel(cases[c], c + 1, true)};
    for (std::size_t s = 0; s < kRuns.size(); ++s) {
      const Matrix scores = draw_scores(cases[c], kRuns[s], options);
      const double multi = sample_moments(Vector(scores.col(0))).variance;
      for (std::size_t k = 0; k < kMethods.size(); ++k) {
        const SampleMoments found = sample_moments(Vector(scores.col(static_cast<Index>(k))));
        for (std::size_t v = 0; v < 2; ++v) {
          // A logarithmic axis has no place for zero.
          const double value = v == 0 ? found.mean : found.variance;
          if (v == 1 && !(value > 0)) continue;
          Curve& curve = panels[v].curves[k];
          curve.x.push_back(static_cast<double>(kRuns[s]));
          curve.y.push_back(value);
          curve.error.push_back(v == 0 ? found.mean_error : found.variance_error);
        }
        // Where every draw gives the same score, rounding is all that varies.
        if (k > 0 && multi > 1e-12) ratios[k - 1][s].push_back(found.variance / multi);
      }
    }
    if (cases[c].first_class) std::move(panels.begin(), panels.end(), std::back_inserter(figures));
  }
  figures.insert(figures.begin(), summary(ratios, 4 * options.repeats));
  return figures;
}

}  // namespace atcav::paper
