#include "apps/paper/real_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/base/parallel.h"
#include "atcav/run/held_out_accuracy.h"
#include "apps/paper/agreement.h"
#include "apps/paper/histogram.h"
#include "atcav/stats/alpha.h"
#include "atcav/stats/score.h"

namespace atcav::paper {
namespace {

Figure histogram_of(const std::string& label, std::size_t number, const Accuracy& accuracy) {
  Figure figure;
  figure.id = fmt::format("encoded_{}", number);
  figure.title = label + ": held-out classification scores";
  figure.caption = "Bars: examples the CAV has not seen; lines: fitted normals, which meet in η*.";
  figure.x = {"score", false, {}};
  figure.y = {"density", false, {}};
  const std::vector<const std::vector<double>*> scores = {&accuracy.random_scores, &accuracy.concept_scores};
  double low = accuracy.threshold;
  double high = accuracy.threshold;
  for (const std::vector<double>* set : scores) {
    low = std::min(low, *std::min_element(set->begin(), set->end()));
    high = std::max(high, *std::max_element(set->begin(), set->end()));
  }
  figure.curves = {density_histogram("random", *scores[0], low, high, 1),
                   normal_curve("random, fitted", accuracy.random, low, high, 1),
                   density_histogram("concept", *scores[1], low, high, 0),
                   normal_curve("concept, fitted", accuracy.of_concept, low, high, 0)};
  figure.marks = {{accuracy.threshold, "η*"}};
  return figure;
}

}  // namespace

std::vector<Figure> alpha_star_table(const std::vector<RealCase>& cases) {
  Figure figure;
  figure.id = "alpha_star";
  figure.title = "α* on the normalised scale";
  figure.caption = "The paper’s Table: 0.64–2.35 on ResNet-50, in the proportion 1 : ½ : ⅓ in every row.";
  figure.x = {"runs s", false, {"s = 2", "s = 5", "s = 10"}};
  figure.y = {"α*", false, {}};
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  double off = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Vector s = cases[c].of_concept.mean() - cases[c].random.mean();
    const Index examples = cases[c].random.count() + cases[c].of_concept.count();
    Curve curve{cases[c].label, {0, 1, 2}, {}, {}, Style::kJoined, static_cast<int>(c % 7), true};
    for (const Index runs : {2, 5, 10}) {
      curve.y.push_back(
          stats::alpha_star(stats::root_mean_square(s), stats::sigma_effective(s, examples), examples, runs));
    }
    least = std::min(least, curve.y[2]);
    largest = std::max(largest, curve.y[0]);
    off = std::max({off, std::abs(curve.y[0] / curve.y[1] - 2), std::abs(curve.y[0] / curve.y[2] - 3)});
    figure.curves.push_back(curve);
  }
  figure.claims = {{"1 : ½ : ⅓ in every row (largest departure)", 0.0, off, {}, off < 1e-9, true},
                   {"Largest α* (s = 2)", 2.35, largest, {}, largest < 3},
                   {"Least α* (s = 10)", 0.64, least, {}, least > 0.4}};
  return {figure};
}

std::vector<Figure> encoded_concepts(const std::vector<LayerPass>& layers) {
  Figure summary;
  summary.id = "encoded";
  summary.title = "Held-out accuracy of pattern CAVs";
  summary.caption =
      "Balanced accuracy in five folds; dashes: predicted from the fitted normals. The paper: 0.979–0.998.";
  summary.x = {"layer", false, {}};
  summary.y = {"balanced accuracy", false, {}};
  const std::vector<std::string>& concepts = layers.front().names.concepts;
  for (std::size_t c = 0; c < concepts.size(); ++c) {
    const int colour = static_cast<int>(c % 7);
    summary.curves.push_back({concepts[c], {}, {}, {}, Style::kJoined, colour, true});
    summary.curves.push_back({concepts[c] + ", predicted", {}, {}, {}, Style::kDashed, colour, false});
  }
  std::vector<Figure> figures;
  double least = 1;
  double largest = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    summary.x.labels.push_back(layers[l].names.layer);
    for (std::size_t c = 0; c < concepts.size(); ++c) {
      const Accuracy accuracy =
          held_out_accuracy(span::held_out_scores(layers[l].pass, static_cast<Index>(c) + 1));
      summary.curves[2 * c].x.push_back(static_cast<double>(l));
      summary.curves[2 * c].y.push_back(accuracy.held_out);
      summary.curves[2 * c + 1].x.push_back(static_cast<double>(l));
      summary.curves[2 * c + 1].y.push_back(accuracy.predicted);
      least = std::min(least, accuracy.held_out);
      largest = std::max(largest, accuracy.held_out);
      figures.push_back(
          histogram_of(layers[l].names.layer + ", " + concepts[c], figures.size() + 1, accuracy));
    }
  }
  summary.claims = {{"Least held-out accuracy", 0.979, least, {}, least > 0.95},
                    {"Largest held-out accuracy", 0.998, largest, {}, largest > 0.95}};
  figures.insert(figures.begin(), summary);
  return figures;
}

std::vector<Figure> real_correlation(const std::vector<RealCase>& cases, const PaperOptions& options) {
  Figure figure;
  figure.id = "real_correlation";
  figure.title = "How far inputs move together";
  figure.caption =
      "Mean correlation between the scores (α = 1) of a class’s inputs when the random examples are drawn "
      "anew. At 0 "
      "inputs would be independent; the variance of the score is the mean variance times this, nearly.";
  figure.x = {"layer, concept", false, {}};
  figure.y = {"mean correlation", false, {}};
  figure.curves = {{"measured", {}, {}, {}, Style::kPoints, 0, true}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const span::MeanRefitter refitter(cases[c].random, cases[c].of_concept, false);
    const Index inputs = cases[c].random.inputs();
    Matrix terms(4 * options.repeats, inputs);
    parallel_for(terms.rows(), options.threads, [&](Index i) {
      Stream stream(options.seed, {kTaskRepeat, key_word(cases[c].label), 3, static_cast<std::uint64_t>(i)});
      const DrawnRows rows = draw_rows(refitter, refitter.random_rows(), false, stream);
      terms.row(i) =
          stats::score_terms(refitter.sensitivities(rows.random, rows.of_concept), stats::alpha_rule(1))
              .transpose();
    });
    double mean_variance = 0;
    for (Index j = 0; j < inputs; ++j) mean_variance += sample_moments(Vector(terms.col(j))).variance;
    mean_variance /= static_cast<double>(inputs);
    const double variance = sample_moments(Vector(terms.rowwise().mean())).variance;
    const auto m = static_cast<double>(inputs);
    if (!(mean_variance > 0) || inputs < 2) continue;
    figure.curves[0].x.push_back(static_cast<double>(c));
    figure.curves[0].y.push_back((m * variance / mean_variance - 1) / (m - 1));
  }
  for (const RealCase& one : cases) figure.x.labels.push_back(one.label);
  const std::vector<double>& found = figure.curves[0].y;
  const double largest = found.empty() ? 0 : *std::max_element(found.begin(), found.end());
  figure.claims = {{"Inputs are independent (largest mean correlation)", 0.0, largest, {}, largest < 0.05}};
  return {figure};
}

}  // namespace atcav::paper
