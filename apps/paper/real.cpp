#include "apps/paper/real.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "apps/paper/agreement.h"
#include "atcav/score.h"
#include "core/check.h"
#include "fit/fit_refitter.h"
#include "fit/inputs_refitter.h"
#include "pipeline/score_laws.h"

namespace atcav::paper {
namespace {

// The paper's table "alpha_star_values": PatternCAV on ResNet-50.
struct PaperRow {
  const char* layer;
  const char* concept_name;
  std::array<double, 3> alpha;  // s = 2, 5, 10
};
constexpr std::array<PaperRow, 6> kPaperTable = {{{"layer2", "dotted", {2.35, 1.18, 0.78}},
                                                  {"layer2", "striped", {2.26, 1.13, 0.75}},
                                                  {"layer2", "zigzagged", {2.30, 1.15, 0.77}},
                                                  {"layer3", "dotted", {2.15, 1.08, 0.72}},
                                                  {"layer3", "striped", {2.08, 1.04, 0.69}},
                                                  {"layer3", "zigzagged", {1.92, 0.96, 0.64}}}};
constexpr std::array<Index, 3> kTableRuns = {2, 5, 10};
const std::string kTable = "Table alpha_star_values";

const PaperRow* paper_row(const RealCase& one) {
  const auto found = std::ranges::find_if(kPaperTable, [&](const PaperRow& row) {
    return one.layer == row.layer && one.concept_name == row.concept_name;
  });
  return found == kPaperTable.end() ? nullptr : &*found;
}

// The refitter of every concept against random examples, for all inputs of the layer.
std::shared_ptr<const fit::SharedRefits> shared_refits(const LayerData& layer, Index set,
                                                       const stats::CavOptions& cav, int threads) {
  return std::make_shared<fit::SharedRefits>(std::make_shared<fit::FitRefitter>(
      fit::fit_rows(*layer.pass, layer.gradients, 0, set, cav.has_intercept(), threads),
      layer.pass->sets[0].projections.count(), cav, threads, cav.method == stats::CavMethod::kSvm));
}

}  // namespace

std::vector<RealCase> real_cases(const RealModel& model, int threads) {
  std::vector<RealCase> cases;
  const bool mean = stats::is_mean_difference(model.cav.method);
  for (const LayerData& layer : model.layers) {
    if (!layer.pass) fail_argument("real_cases", layer.names.layer + " has directions, must have examples");
    const auto& [name, concepts, classes, relative, tensor] = layer.names;
    std::vector<std::shared_ptr<const fit::SharedRefits>> fitted;
    for (std::size_t c = 0; !mean && c < concepts.size(); ++c)
      fitted.push_back(shared_refits(layer, static_cast<Index>(c) + 1, model.cav, threads));
    Index first = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      for (std::size_t c = 0; c < concepts.size(); ++c) {
        RealCase one{name + ", " + concepts[c] + (classes.size() > 1 ? ", " + classes[k].name : ""),
                     name,
                     concepts[c],
                     nullptr,
                     classes[k].inputs,
                     layer.gradients.cols(),
                     k == 0};
        const auto own = [&layer, first, inputs = classes[k].inputs](std::size_t set) {
          return layer.pass->sets[set].projections.inputs(first, inputs);
        };
        if (mean) {
          one.refitter = std::make_shared<fit::MeanRefitter>(
              own(0), own(c + 1), model.cav.method == stats::CavMethod::kFast, threads);
        } else {
          one.refitter = std::make_shared<fit::InputsRefitter>(fitted[c], first, classes[k].inputs);
        }
        cases.push_back(std::move(one));
      }
      first += classes[k].inputs;
    }
  }
  return cases;
}

fit::Choice draw_rows(const fit::Refitter& refitter, Index budget, bool redraw_concept, Stream& stream) {
  fit::Choice rows{fit::RowNumbers(static_cast<std::size_t>(budget)),
                   fit::row_range(refitter.random_rows(), refitter.all_rows())};
  for (Index& row : rows.random) row = stream.below(refitter.random_rows());
  if (redraw_concept) {
    for (Index& row : rows.concept_rows) row = refitter.random_rows() + stream.below(refitter.concept_rows());
  }
  return rows;
}

fit::Choice part_of_rows(const fit::Choice& rows, Index run, Index runs) {
  const auto count = std::ssize(rows.random);
  return {{rows.random.begin() + run * count / runs, rows.random.begin() + (run + 1) * count / runs},
          rows.concept_rows};
}

std::vector<Figure> alpha_star_table(const RealModel& model, const PaperOptions& options) {
  Figure figure =
      make_figure("alpha_star", "α* on the normalised scale",
                  "Lines: here; crosses of the paper’s table where layer and concept have its names.",
                  {"runs s", false, {"s = 2", "s = 5", "s = 10"}}, {"α*"});
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  double off = 0;
  int colour = 0;
  std::vector<Claim> cells;
  for (const RealCase& one : real_cases(model, options.threads)) {
    const Vector s = one.refitter->full();
    const Index examples = one.refitter->all_rows();
    Curve curve{one.label, Style::kJoined, colour % 7};
    for (const Index runs : kTableRuns) {
      curve.add(curve.x.size(), stats::alpha_star(stats::root_mean_square(s),
                                                  stats::sigma_effective(s, examples), examples, runs));
    }
    least = std::min(least, curve.y[2]);
    largest = std::max(largest, curve.y[0]);
    off = std::max({off, std::abs(curve.y[0] / curve.y[1] - 2), std::abs(curve.y[0] / curve.y[2] - 3)});
    figure.curves.push_back(curve);
    if (const PaperRow* row = paper_row(one)) {
      Curve theirs{one.label + ", paper", Style::kPoints, colour % 7};
      for (std::size_t k = 0; k < kTableRuns.size(); ++k) {
        theirs.add(k, row->alpha[k]);
        const double here = curve.y[k];
        cells.push_back(
            claimed(kTable, finding(fmt::format("α* of {}, s = {}, within 15 %", one.label, kTableRuns[k]),
                                    row->alpha[k], here, std::abs(here / row->alpha[k] - 1) < 0.15)));
      }
      figure.curves.push_back(theirs);
    }
    ++colour;
  }
  figure.claims = {check("1 : ½ : ⅓ in every row (largest departure)", off, off < 1e-9),
                   claimed(kTable, finding("Largest α* (s = 2)", 2.35, largest, largest < 2.45)),
                   claimed(kTable, finding("Least α* (s = 10)", 0.64, least, least > 0.6))};
  figure.claims[0].paper = 0;
  if (cells.empty()) {
    cells.push_back(untested(kTable, "The 18 cells of the table",
                             "they are of layer2 and layer3 with dotted, striped and zigzagged; these "
                             "layers and concepts have other names"));
  }
  std::ranges::move(cells, std::back_inserter(figure.claims));
  return {figure};
}

std::vector<Figure> real_correlation(const RealModel& model, const PaperOptions& options) {
  const std::vector<RealCase> cases = real_cases(model, options.threads);
  Figure figure =
      make_figure("real_correlation", "How far inputs move together",
                  "Mean correlation between the scores (α = 1) of a class’s inputs when the random "
                  "examples are drawn anew. At 0 inputs would be independent; the variance of the "
                  "score is the mean variance times this, nearly.",
                  {"layer, concept"}, {"mean correlation"}, {{"measured", Style::kPoints, 0}});
  Figure shapes = make_figure("real_shapes", "Are sensitivities normal when examples are drawn anew?",
                              "Skewness (its size) and excess kurtosis over the same draws, medians over "
                              "inputs; both are 0 for a normal law.",
                              {"layer, concept"}, {"shape"},
                              {{"skewness", Style::kPoints, 0}, {"excess kurtosis", Style::kPoints, 1}});
  double largest = 0;
  double most_skewed = 0;
  double most_peaked = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const RealCase& one = cases[c];
    figure.x.labels.push_back(one.label);
    const auto choose = [&](Index i) {
      Stream stream(options.seed, {kTaskRepeat, key_word(one.label), 3, static_cast<std::uint64_t>(i)});
      return draw_rows(*one.refitter, one.refitter->random_rows(), false, stream);
    };
    const Matrix drawn = one.refitter->refits({4 * options.repeats, choose}, options.threads);
    Matrix terms(drawn.rows(), drawn.cols());
    for (Index i = 0; i < drawn.rows(); ++i)
      terms.row(i) = stats::score_terms(drawn.row(i).transpose(), stats::alpha_rule(1)).transpose();
    const ScoreLaws laws = score_laws({}, {}, drawn, {});
    shapes.curves[0].add(c, laws.skewness);
    shapes.curves[1].add(c, laws.excess_kurtosis);
    most_skewed = std::max(most_skewed, laws.skewness);
    most_peaked = std::max(most_peaked, std::abs(laws.excess_kurtosis));
    const double mean = mean_variance(terms);
    const double variance = sample_moments(Vector(terms.rowwise().mean())).variance.value;
    const auto m = static_cast<double>(one.inputs);
    if (!(mean > 0) || one.inputs < 2) continue;
    figure.curves[0].add(c, (m * variance / mean - 1) / (m - 1));
    largest = std::max(largest, figure.curves[0].y.back());
  }
  shapes.x.labels = figure.x.labels;
  figure.claims = {
      finding("Inputs are independent (largest mean correlation)", 0.0, largest, largest < 0.05)};
  const double noise = std::sqrt(6 / (4 * static_cast<double>(options.repeats)));
  shapes.claims = {
      claimed("Rem. Asymptotically Normal Distribution",
              finding("Sensitivities are nearly normal: largest median skewness below 0.5 and noise", 0.0,
                      most_skewed, most_skewed < 0.5 + noise)),
      claimed("Rem. Asymptotically Normal Distribution",
              finding("… largest median excess kurtosis below 1.5 and noise", 0.0, most_peaked,
                      most_peaked < 1.5 + 2 * noise))};
  return {figure, shapes};
}

}  // namespace atcav::paper
