#include "apps/paper/real.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/paper/agreement.h"
#include "atcav/alpha.h"
#include "atcav/score.h"
#include "core/check.h"
#include "core/parallel.h"
#include "pipeline/held_out_accuracy.h"

namespace atcav::paper {
namespace {

Figure score_histogram(const std::string& label, std::size_t number, const Accuracy& accuracy) {
  const std::vector<double>& random = accuracy.random_scores;
  const std::vector<double>& of_concept = accuracy.concept_scores;
  const auto [random_low, random_high] = std::ranges::minmax_element(random);
  const auto [concept_low, concept_high] = std::ranges::minmax_element(of_concept);
  const double low = std::min({accuracy.threshold, *random_low, *concept_low});
  const double high = std::max({accuracy.threshold, *random_high, *concept_high});
  return {.id = fmt::format("encoded_{}", number),
          .title = label + ": held-out classification scores",
          .caption = "Bars: examples the CAV has not seen; lines: fitted normals, which meet in η*.",
          .x = {"score"},
          .y = {"density"},
          .curves = {density_histogram("random", random, low, high, 1),
                     normal_curve("random, fitted", accuracy.random, low, high, 1),
                     density_histogram("concept", of_concept, low, high, 0),
                     normal_curve("concept, fitted", accuracy.of_concept, low, high, 0)},
          .marks = {{accuracy.threshold, "η*"}}};
}

}  // namespace

std::vector<RealCase> real_cases(const std::vector<LayerData>& layers) {
  std::vector<RealCase> cases;
  for (const LayerData& layer : layers) {
    if (!layer.pass) fail_argument("real_cases", layer.names.layer + " has directions, must have examples");
    const auto& [name, concepts, classes, relative, tensor] = layer.names;
    Index first = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      for (std::size_t c = 0; c < concepts.size(); ++c) {
        cases.push_back({name + ", " + concepts[c] + (classes.size() > 1 ? ", " + classes[k].name : ""),
                         layer.pass->sets[0].projections.inputs(first, classes[k].inputs),
                         layer.pass->sets[c + 1].projections.inputs(first, classes[k].inputs), k == 0});
      }
      first += classes[k].inputs;
    }
  }
  return cases;
}

DrawnRows draw_rows(const fit::Refitter& refitter, Index budget, bool redraw_concept, Stream& stream) {
  DrawnRows rows{fit::RowNumbers(static_cast<std::size_t>(budget)),
                 fit::row_range(refitter.random_rows(), refitter.all_rows())};
  for (Index& row : rows.random) row = stream.below(refitter.random_rows());
  if (redraw_concept) {
    for (Index& row : rows.of_concept) row = refitter.random_rows() + stream.below(refitter.concept_rows());
  }
  return rows;
}

double multi_tcav(const fit::Refitter& refitter, const DrawnRows& rows, Index runs) {
  const auto count = std::ssize(rows.random);
  double sum = 0;
  for (Index run = 0; run < runs; ++run) {
    const fit::RowNumbers part(rows.random.begin() + run * count / runs,
                               rows.random.begin() + (run + 1) * count / runs);
    sum += stats::tcav(refitter.sensitivities(part, rows.of_concept));
  }
  return sum / static_cast<double>(runs);
}

std::vector<Figure> alpha_star_table(const std::vector<LayerData>& layers, const PaperOptions& /*options*/) {
  const std::vector<RealCase> cases = real_cases(layers);
  Figure figure =
      make_figure("alpha_star", "α* on the normalised scale",
                  "The paper’s table: 0.64–2.35 on ResNet-50, in the proportion 1 : ½ : ⅓ in every row.",
                  {"runs s", false, {"s = 2", "s = 5", "s = 10"}}, {"α*"});
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  double off = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Vector s = cases[c].of_concept.mean() - cases[c].random.mean();
    const Index examples = cases[c].random.count() + cases[c].of_concept.count();
    Curve curve{cases[c].label, Style::kJoined, static_cast<int>(c % 7)};
    for (const Index runs : {2, 5, 10}) {
      curve.add(curve.x.size(), stats::alpha_star(stats::root_mean_square(s),
                                                  stats::sigma_effective(s, examples), examples, runs));
    }
    least = std::min(least, curve.y[2]);
    largest = std::max(largest, curve.y[0]);
    off = std::max({off, std::abs(curve.y[0] / curve.y[1] - 2), std::abs(curve.y[0] / curve.y[2] - 3)});
    figure.curves.push_back(curve);
  }
  figure.claims = {check("1 : ½ : ⅓ in every row (largest departure)", off, off < 1e-9),
                   finding("Largest α* (s = 2)", 2.35, largest, largest < 3),
                   finding("Least α* (s = 10)", 0.64, least, least > 0.4)};
  figure.claims[0].paper = 0;
  return {figure};
}

std::vector<Figure> encoded_concepts(const std::vector<LayerData>& layers, const PaperOptions& /*options*/) {
  Figure summary =
      make_figure("encoded", "Held-out accuracy of pattern CAVs",
                  "Balanced accuracy in five folds; dashes: predicted from the fitted normals. The paper: "
                  "0.979–0.998.",
                  {"layer"}, {"balanced accuracy"});
  const std::vector<std::string>& concepts = layers.front().names.concepts;
  for (std::size_t c = 0; c < concepts.size(); ++c) {
    const int colour = static_cast<int>(c % 7);
    summary.curves.push_back({concepts[c], Style::kJoined, colour});
    summary.curves.push_back({concepts[c] + ", predicted", Style::kDashed, colour, false});
  }
  std::vector<Figure> figures;
  double least = 1;
  double largest = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::string& layer = layers[l].names.layer;
    summary.x.labels.push_back(layer);
    for (std::size_t c = 0; c < concepts.size(); ++c) {
      const Accuracy accuracy =
          held_out_accuracy(fit::held_out_scores(layers[l].pass.value(), static_cast<Index>(c) + 1), 0.95);
      summary.curves[2 * c].add(l, accuracy.held_out);
      summary.curves[2 * c + 1].add(l, accuracy.predicted);
      least = std::min(least, accuracy.held_out);
      largest = std::max(largest, accuracy.held_out);
      figures.push_back(score_histogram(layer + ", " + concepts[c], figures.size() + 1, accuracy));
    }
  }
  summary.claims = {finding("Least held-out accuracy", 0.979, least, least > 0.95),
                    finding("Largest held-out accuracy", 0.998, largest, largest > 0.95)};
  figures.insert(figures.begin(), summary);
  return figures;
}

std::vector<Figure> real_correlation(const std::vector<LayerData>& layers, const PaperOptions& options) {
  const std::vector<RealCase> cases = real_cases(layers);
  Figure figure =
      make_figure("real_correlation", "How far inputs move together",
                  "Mean correlation between the scores (α = 1) of a class’s inputs when the random "
                  "examples are drawn anew. At 0 inputs would be independent; the variance of the "
                  "score is the mean variance times this, nearly.",
                  {"layer, concept"}, {"mean correlation"}, {{"measured", Style::kPoints, 0}});
  double largest = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    figure.x.labels.push_back(cases[c].label);
    const fit::MeanRefitter refitter(cases[c].random, cases[c].of_concept, false);
    const Index inputs = cases[c].random.inputs();
    Matrix terms(4 * options.repeats, inputs);
    parallel_for(terms.rows(), options.threads, [&](Index i) {
      Stream stream(options.seed, {kTaskRepeat, key_word(cases[c].label), 3, static_cast<std::uint64_t>(i)});
      const DrawnRows rows = draw_rows(refitter, refitter.random_rows(), false, stream);
      const Vector s = refitter.sensitivities(rows.random, rows.of_concept);
      terms.row(i) = stats::score_terms(s, stats::alpha_rule(1)).transpose();
    });
    const double mean = mean_variance(terms);
    const double variance = sample_moments(Vector(terms.rowwise().mean())).variance.value;
    const auto m = static_cast<double>(inputs);
    if (!(mean > 0) || inputs < 2) continue;
    figure.curves[0].add(c, (m * variance / mean - 1) / (m - 1));
    largest = std::max(largest, figure.curves[0].y.back());
  }
  figure.claims = {
      finding("Inputs are independent (largest mean correlation)", 0.0, largest, largest < 0.05)};
  return {figure};
}

}  // namespace atcav::paper
