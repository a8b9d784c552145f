#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/paper/synthetic.h"
#include "fit/noise.h"

namespace atcav::paper {
namespace {

const std::array<Curve, kAnswers> kAnswerCurves = {{{"indicator", Style::kJoined, 6},
                                                    {"α† effective (paper)", Style::kJoined, 1},
                                                    {"α† analytic", Style::kJoined, 3},
                                                    {"flat prior", Style::kJoined, 2},
                                                    {"empirical Bayes", Style::kJoined, 0}}};
const std::vector<CalibrationSetting> kCalibrationSettings = {{50, 0.4},   {50, 0.8},   {50, 2},
                                                              {1000, 0.4}, {1000, 0.8}, {1000, 2}};
constexpr int kBins = 15;
const std::string kBayes = "Sec. Choosing α, a Bayesian interpretation";
constexpr Index kProblemInputs = 60;

// inputs × answers.
Matrix answers(const Examples& examples) {
  const Vector s = examples.of_concept.mean() - examples.random.mean();
  const Vector errors = fit::ClosedFormNoise(examples.random, examples.of_concept, false).input_errors();
  Matrix p(s.size(), static_cast<Index>(kAnswers));
  p.col(kIndicator) = stats::score_terms(s, stats::indicator_rule());
  p.col(kEffective) = stats::score_terms(s, stats::effective_rule());
  p.col(kAnalytic) = stats::score_terms(s, stats::analytic_rule(errors));
  p.col(kFlat) = stats::flat_posterior(s, errors);
  p.col(kEmpiricalBayes) = stats::empirical_bayes(s, errors).probability;
  return p;
}

Figure diagram(const CalibrationSetting& setting, const std::vector<stats::Reliability>& found) {
  Figure figure = make_figure(
      fmt::format("reliability_{}", setting.n),
      fmt::format("Reliability with {0} + {0} examples, |μ| = {1}", setting.n, setting.length),
      "Of all inputs given probability p, what share truly has a positive sensitivity? Calibrated "
      "answers lie on the dashed diagonal.",
      {"stated probability"}, {"share true"}, {{"calibrated", Style::kDashed, 6, true, {0, 1}, {0, 1}}});
  for (std::size_t k = 0; k < found.size(); ++k) {
    Curve curve = kAnswerCurves[k];
    for (const stats::ReliabilityBin& bin : found[k].bins) {
      if (bin.count >= 20) curve.add(bin.mean_probability, bin.share_true);
    }
    figure.curves.push_back(curve);
  }
  return figure;
}

}  // namespace

std::vector<stats::Reliability> simulate_calibration(const CalibrationSetting& setting, std::uint64_t key,
                                                     const PaperOptions& options) {
  const Index problems = 6 * options.repeats;
  Matrix stated(problems * kProblemInputs, static_cast<Index>(kAnswers));
  Vector outcomes(stated.rows());
  for_each_draw(problems, options, "posterior_calibration", key, [&](Index i, Stream& stream) {
    const Problem problem =
        make_problem({.inputs = kProblemInputs, .length = setting.length, .random_pull = true}, stream);
    const Index first = i * kProblemInputs;
    stated.middleRows(first, kProblemInputs) = answers(draw_examples(problem, setting.n, setting.n, stream));
    outcomes.segment(first, kProblemInputs) = (problem.truth().array() > 0).cast<double>();
  });
  std::vector<stats::Reliability> found;
  for (Index k = 0; k < stated.cols(); ++k) {
    found.push_back(stats::reliability(Vector(stated.col(k)), outcomes, kBins));
  }
  return found;
}

std::vector<Figure> posterior_calibration(const PaperOptions& options) {
  const Index problems = 6 * options.repeats;
  Figure summary = make_figure(
      "calibration_error", "Expected calibration error",
      fmt::format(
          "Mean distance between stated probability and share true; {} bins, {} problems per setting.", kBins,
          problems),
      {"examples of each class, |μ|"}, {"calibration error"}, {kAnswerCurves.begin(), kAnswerCurves.end()});
  Figure brier =
      make_figure("brier_score", "Brier score",
                  "Mean squared distance between stated probability and truth, which a posterior mean "
                  "makes least; ½ for all gives ¼.",
                  summary.x, {"Brier score"}, summary.curves);
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < kCalibrationSettings.size(); ++i) {
    const CalibrationSetting& setting = kCalibrationSettings[i];
    const std::vector<stats::Reliability> found = simulate_calibration(setting, i, options);
    summary.x.labels.push_back(fmt::format("{}, {}", setting.n, setting.length));
    for (std::size_t k = 0; k < found.size(); ++k) {
      summary.curves[k].add(i, found[k].expected_calibration_error);
      brier.curves[k].add(i, found[k].brier);
    }
    if (setting.length == 0.8) figures.push_back(diagram(setting, found));
  }
  const auto worst = [&](Answer k) { return *std::ranges::max_element(summary.curves[k].y); };
  const auto calibrated = [&](const std::string& text, std::optional<double> paper, Answer k) {
    return finding(text, paper, worst(k), worst(k) < 0.05);
  };
  // With few repeats the inputs of a problem, which share one CAV, leave an error of their own.
  const double noise = 0.5 / std::sqrt(static_cast<double>(problems));
  brier.x.labels = summary.x.labels;
  std::size_t best = 0;
  for (std::size_t i = 0; i < kCalibrationSettings.size(); ++i) {
    const auto lost = [&](std::size_t k) { return brier.curves[k].y[i]; };
    best +=
        lost(kEffective) <= std::min({lost(kIndicator), lost(kAnalytic), lost(kFlat), lost(kEmpiricalBayes)})
            ? 1
            : 0;
  }
  const double settings = static_cast<double>(kCalibrationSettings.size());
  const double share_best = static_cast<double>(best) / settings;
  std::size_t beats = 0;
  for (std::size_t i = 0; i < kCalibrationSettings.size(); ++i)
    beats += brier.curves[kEffective].y[i] < brier.curves[kIndicator].y[i] ? 1 : 0;
  brier.claims = {
      claimed(kBayes,
              finding("α† (σ̂_eff) is Bayes-optimal under squared loss: share of settings where nothing "
                      "has a lower Brier score",
                      1.0, share_best, best == kCalibrationSettings.size())),
      claimed(
          kBayes,
          finding("α† loses less than TCAV, which is overconfident, under squared loss: share of settings",
                  1.0, static_cast<double>(beats) / settings, beats == kCalibrationSettings.size()))};
  summary.claims = {
      claimed(kBayes, calibrated("α† with σ̂_eff is calibrated (largest error below 0.05)", 0.0, kEffective)),
      calibrated("α† with each input’s own noise is calibrated", {}, kAnalytic),
      calibrated("The indicator is calibrated", {}, kIndicator),
      check("Empirical Bayes is calibrated (largest error below 0.05 and simulation noise)",
            worst(kEmpiricalBayes), worst(kEmpiricalBayes) < 0.05 + noise)};
  figures.push_back(summary);
  figures.push_back(brier);
  return figures;
}

}  // namespace atcav::paper
