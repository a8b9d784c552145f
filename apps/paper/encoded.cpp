#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "apps/paper/agreement.h"
#include "apps/paper/real.h"
#include "atcav/theory.h"
#include "fit/fit_refitter.h"

namespace atcav::paper {
namespace {

constexpr Index kRandomRows = 1000;
constexpr Index kConceptRows = 50;
constexpr Index kCavs = 20;
const std::string kAccuracyFigure = "Figure classification_accuracy";

// One set's rows for a CAV, and those that no CAV of this draw sees: a fifth of them at least.
struct Parts {
  fit::RowNumbers fitted;
  fit::RowNumbers kept_back;
};

// `repeated`: drawn with replacement from what is not kept back.
Parts parts_of(Index first, Index count, Index wanted, bool repeated, Stream& stream) {
  const std::vector<Index> order = stream.permutation(count);
  const Index most = count - std::max<Index>(1, count / 5);
  const Index used = repeated ? most : std::min(wanted, most);
  Parts parts;
  for (Index i = 0; repeated && i < wanted; ++i) parts.fitted.push_back(first + order[stream.below(used)]);
  for (Index i = 0; i < count; ++i) {
    if (i >= used)
      parts.kept_back.push_back(first + order[i]);
    else if (!repeated)
      parts.fitted.push_back(first + order[i]);
  }
  return parts;
}

struct Draw {
  Parts random;
  Parts of_concept;
};

// The scores of every row by the CAV of each draw: draws × rows.
Matrix scores_of_rows(const LayerData& layer, Index set, const stats::CavOptions& cav,
                      const std::vector<Draw>& draws, int threads) {
  const bool mean = stats::is_mean_difference(cav.method);
  fit::FitRows rows =
      fit::fit_rows(*layer.pass, layer.gradients, 0, set, mean || cav.has_intercept(), threads);
  const auto count = std::ssize(draws);
  if (!mean) {
    const fit::FitRefitter refitter(std::move(rows), layer.pass->sets[0].projections.count(), cav, threads);
    return refitter.row_scores({count,
                                [&](Index k) {
                                  return fit::Choice{draws[k].random.fitted, draws[k].of_concept.fitted};
                                }},
                               threads);
  }
  Matrix weights = Matrix::Zero(count, rows.count());
  for (Index k = 0; k < count; ++k) {
    const auto& [random, of_concept] = draws[k];
    for (const Index row : random.fitted) weights(k, row) -= 1 / static_cast<double>(random.fitted.size());
    for (const Index row : of_concept.fitted)
      weights(k, row) += 1 / static_cast<double>(of_concept.fitted.size());
  }
  return rows.by_products() ? Matrix(weights * rows.products)
                            : Matrix(weights * rows.rows * rows.rows.transpose());
}

Vector chosen(const Matrix& scores, Index draw, const fit::RowNumbers& rows) {
  return scores.row(draw)(rows).transpose();
}

stats::NormalLaw law_of(const Vector& values) {
  const SampleMoments found = sample_moments(values);
  return {found.mean.value, found.variance.value};
}

double share_beyond(const Vector& values, double threshold, bool above) {
  return ((values.array() > threshold) == above).cast<double>().mean();
}

struct Judged {
  double fitted = 0;    // share of the rows it was fitted on
  double held_out = 0;  // balanced, of rows it has not seen
  double predicted = 0;
};

Judged judge(const Matrix& scores, Index k, const Draw& draw) {
  const Vector random = chosen(scores, k, draw.random.fitted);
  const Vector of_concept = chosen(scores, k, draw.of_concept.fitted);
  const stats::ErrorPrediction normal = stats::predict_error(law_of(random), law_of(of_concept));
  const double eta = normal.threshold.value;
  const auto n = static_cast<double>(random.size() + of_concept.size());
  return {(static_cast<double>(random.size()) * share_beyond(random, eta, false) +
           static_cast<double>(of_concept.size()) * share_beyond(of_concept, eta, true)) /
              n,
          (share_beyond(chosen(scores, k, draw.random.kept_back), eta, false) +
           share_beyond(chosen(scores, k, draw.of_concept.kept_back), eta, true)) /
              2,
          1 - normal.error};
}

Figure histogram_of(const std::string& label, std::size_t number, const Vector& random,
                    const Vector& of_concept) {
  const stats::NormalLaw law_random = law_of(random);
  const stats::NormalLaw law_concept = law_of(of_concept);
  const double eta = stats::optimal_threshold(law_random, law_concept).value;
  const double low = std::min({eta, random.minCoeff(), of_concept.minCoeff()});
  const double high = std::max({eta, random.maxCoeff(), of_concept.maxCoeff()});
  return {.id = fmt::format("encoded_{}", number),
          .title = label + ": classification scores",
          .caption = "Bars: the rows a CAV was fitted on; lines: fitted normals, which meet in η*.",
          .x = {"score w·x"},
          .y = {"density"},
          .curves = {density_histogram("random", {random.begin(), random.end()}, low, high, 1),
                     normal_curve("random, fitted", law_random, low, high, 1),
                     density_histogram("concept", {of_concept.begin(), of_concept.end()}, low, high, 0),
                     normal_curve("concept, fitted", law_concept, low, high, 0)},
          .marks = {{eta, "η*"}}};
}

}  // namespace

std::vector<Figure> encoded_concepts(const RealModel& model, const PaperOptions& options) {
  Figure summary = make_figure(
      "encoded", "Accuracy of CAVs, as the paper’s figure",
      fmt::format("{} CAVs from {} random and up to {} concept examples each, judged at η* on the rows they "
                  "were fitted on; dashes: balanced, on rows that the CAV has not seen. The paper: "
                  "0.979–0.998, on which rows it does not say.",
                  kCavs, kRandomRows, kConceptRows),
      {"layer"}, {"accuracy"});
  const std::vector<std::string>& concepts = model.layers.front().names.concepts;
  for (std::size_t c = 0; c < concepts.size(); ++c) {
    const int colour = static_cast<int>(c % 7);
    summary.curves.push_back({concepts[c], Style::kJoined, colour});
    summary.curves.push_back({concepts[c] + ", unseen rows", Style::kDashed, colour, false});
  }
  std::vector<Figure> figures;
  double least = 1;
  double largest = 0;
  double least_unseen = 1;
  double prediction_off = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const LayerData& layer = model.layers[l];
    summary.x.labels.push_back(layer.names.layer);
    const Index random = layer.pass->sets[0].projections.count();
    for (std::size_t c = 0; c < concepts.size(); ++c) {
      const auto set = static_cast<Index>(c) + 1;
      std::vector<Draw> draws;
      for (Index k = 0; k < kCavs; ++k) {
        Stream stream(options.seed, {kTaskRepeat, key_word(layer.names.layer + concepts[c]), 4,
                                     static_cast<std::uint64_t>(k)});
        draws.push_back(
            {parts_of(0, random, kRandomRows, true, stream),
             parts_of(random, layer.pass->sets[set].projections.count(), kConceptRows, false, stream)});
      }
      const Matrix scores = scores_of_rows(layer, set, model.cav, draws, options.threads);
      Judged mean;
      for (Index k = 0; k < kCavs; ++k) {
        const Judged one = judge(scores, k, draws[k]);
        mean.fitted += one.fitted / kCavs;
        mean.held_out += one.held_out / kCavs;
        mean.predicted += one.predicted / kCavs;
      }
      summary.curves[2 * c].add(l, mean.fitted);
      summary.curves[2 * c + 1].add(l, mean.held_out);
      least = std::min(least, mean.fitted);
      largest = std::max(largest, mean.fitted);
      least_unseen = std::min(least_unseen, mean.held_out);
      prediction_off = std::max(prediction_off, std::abs(mean.predicted - mean.held_out));
      figures.push_back(histogram_of(layer.names.layer + ", " + concepts[c], figures.size() + 1,
                                     chosen(scores, 0, draws[0].random.fitted),
                                     chosen(scores, 0, draws[0].of_concept.fitted)));
    }
  }
  summary.claims = {
      claimed(kAccuracyFigure, finding("Least accuracy, rows it was fitted on", 0.979, least, least > 0.95)),
      claimed(kAccuracyFigure,
              finding("Largest accuracy, rows it was fitted on", 0.998, largest, largest > 0.95)),
      finding("Least balanced accuracy, unseen rows", {}, least_unseen, least_unseen > 0.95),
      claimed("Sec. Classification Accuracy",
              finding("Fitted normals tell the accuracy on unseen rows (largest distance below 0.05)", {},
                      prediction_off, prediction_off < 0.05))};
  figures.insert(figures.begin(), summary);
  return figures;
}

}  // namespace atcav::paper
