#include "apps/paper/posterior_calibration.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/base/parallel.h"
#include "apps/paper/problem.h"
#include "atcav/span/noise.h"
#include "atcav/stats/posterior.h"

namespace atcav::paper {
namespace {

struct Setting {
  Index n;        // random and concept examples each
  double length;  // |μ|
};
const std::vector<Setting> kSettings = {{50, 0.4}, {50, 0.8}, {50, 2}, {1000, 0.4}, {1000, 0.8}, {1000, 2}};
const std::vector<std::string> kAnswers = {"indicator", "α† effective (paper)", "α† analytic", "flat prior",
                                           "empirical Bayes"};
constexpr int kBins = 15;
constexpr Index kInputs = 60;
const std::vector<int> kColours = {6, 1, 3, 2, 0};

// inputs × answers.
Matrix answers(const Examples& examples) {
  const Vector s = examples.of_concept.mean() - examples.random.mean();
  const Vector errors = span::ClosedFormNoise(examples.random, examples.of_concept, false).input_errors();
  Matrix p(s.size(), static_cast<Index>(kAnswers.size()));
  p.col(0) = stats::score_terms(s, stats::indicator_rule());
  p.col(1) = stats::score_terms(s, stats::effective_rule());
  p.col(2) = stats::score_terms(s, stats::analytic_rule(errors));
  p.col(3) = stats::flat_posterior(s, errors);
  p.col(4) = stats::empirical_bayes(s, errors).probability;
  return p;
}

// One reliability an answer.
std::vector<stats::Reliability> simulate(const Setting& setting, std::uint64_t key,
                                         const PaperOptions& options) {
  const Index problems = 6 * options.repeats;
  Matrix stated(problems * kInputs, static_cast<Index>(kAnswers.size()));
  Vector outcomes(problems * kInputs);
  parallel_for(problems, options.threads, [&](Index i) {
    Stream stream(options.seed,
                  {kTaskSimulation, key_word("posterior_calibration"), key, static_cast<std::uint64_t>(i)});
    const Problem problem =
        make_problem({.inputs = kInputs, .length = setting.length, .random_pull = true}, stream);
    stated.middleRows(i * kInputs, kInputs) = answers(draw_examples(problem, setting.n, setting.n, stream));
    outcomes.segment(i * kInputs, kInputs) = (problem.truth().array() > 0).cast<double>();
  });
  std::vector<stats::Reliability> found;
  for (Index k = 0; k < stated.cols(); ++k) {
    found.push_back(stats::reliability(Vector(stated.col(k)), outcomes, kBins));
  }
  return found;
}

Figure diagram(const Setting& setting, const std::vector<stats::Reliability>& found) {
  Figure figure;
  figure.id = fmt::format("reliability_{}", setting.n);
  figure.title = fmt::format("Reliability with {0} + {0} examples, |μ| = {1}", setting.n, setting.length);
  figure.caption =
      "Of all inputs given probability p, which share truly has a positive sensitivity? Honest answers lie "
      "on the "
      "dashed diagonal.";
  figure.x = {"stated probability", false, {}};
  figure.y = {"share true", false, {}};
  figure.curves.push_back({"calibrated", {0, 1}, {0, 1}, {}, Style::kDashed, 6, true});
  for (std::size_t k = 0; k < found.size(); ++k) {
    Curve curve{kAnswers[k], {}, {}, {}, Style::kJoined, kColours[k], true};
    for (const stats::ReliabilityBin& bin : found[k].bins) {
      if (bin.count < 20) continue;
      curve.x.push_back(bin.mean_probability);
      curve.y.push_back(bin.share_true);
    }
    figure.curves.push_back(curve);
  }
  return figure;
}

}  // namespace

std::vector<Figure> posterior_calibration(const PaperOptions& options) {
  Figure summary;
  summary.id = "calibration_error";
  summary.title = "Expected calibration error";
  summary.caption =
      fmt::format("Mean distance between stated probability and share true, {} bins, {} problems a setting.",
                  kBins, 6 * options.repeats);
  summary.x = {"examples of each class, |μ|", false, {}};
  summary.y = {"calibration error", false, {}};
  for (std::size_t k = 0; k < kAnswers.size(); ++k) {
    summary.curves.push_back({kAnswers[k], {}, {}, {}, Style::kJoined, kColours[k], true});
  }
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    const std::vector<stats::Reliability> found = simulate(kSettings[i], i, options);
    summary.x.labels.push_back(fmt::format("{}, {}", kSettings[i].n, kSettings[i].length));
    for (std::size_t k = 0; k < found.size(); ++k) {
      summary.curves[k].x.push_back(static_cast<double>(i));
      summary.curves[k].y.push_back(found[k].expected_calibration_error);
    }
    if (kSettings[i].length == 0.8) figures.push_back(diagram(kSettings[i], found));
  }
  const auto worst = [&](std::size_t k) {
    return *std::max_element(summary.curves[k].y.begin(), summary.curves[k].y.end());
  };
  // With few repeats the inputs of a problem, which share one CAV, leave an error of their own.
  const double noise = 0.5 / std::sqrt(static_cast<double>(6 * options.repeats));
  summary.claims = {
      {"α† with σ̂_eff is calibrated (largest error below 0.05)", 0.0, worst(1), {}, worst(1) < 0.05},
      {"α† with each input’s own noise is calibrated", {}, worst(2), {}, worst(2) < 0.05},
      {"The indicator is calibrated", {}, worst(0), {}, worst(0) < 0.05},
      {"Empirical Bayes is calibrated (largest error below 0.05 and simulation noise)",
       {},
       worst(4),
       {},
       worst(4) < 0.05 + noise,
       true}};
  figures.push_back(summary);
  return figures;
}

}  // namespace atcav::paper
