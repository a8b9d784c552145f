#include "apps/paper/vary_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/base/parallel.h"
#include "apps/paper/agreement.h"
#include "atcav/stats/score.h"
#include "atcav/stats/score_rule.h"

namespace atcav::paper {
namespace {

constexpr Index kPart = 50;
const std::vector<Index> kBudgets = {100, 200, 500, 1000};
const std::vector<std::string> kMethods = {"indicator", "Multi-TCAV", "α = 1", "α = 3", "α*", "α†"};
const std::vector<int> kColours = {6, 0, 1, 2, 3, 4};

Matrix draw_scores(const RealCase& one, Index budget, bool redraw_concept, const PaperOptions& options) {
  const span::MeanRefitter refitter(one.random, one.of_concept, false);
  const Index runs = budget / kPart;
  const std::vector<stats::ScoreRule> rules = {
      stats::alpha_rule(1), stats::alpha_rule(3),
      stats::effective_rule(std::sqrt(static_cast<double>(runs - 1))), stats::effective_rule()};
  Matrix scores(4 * options.repeats, static_cast<Index>(kMethods.size()));
  parallel_for(scores.rows(), options.threads, [&](Index i) {
    Stream stream(options.seed, {kTaskRepeat, key_word(one.label), redraw_concept ? 2U : 1U,
                                 static_cast<std::uint64_t>(budget), static_cast<std::uint64_t>(i)});
    const DrawnRows rows = draw_rows(refitter, budget, redraw_concept, stream);
    const span::RowNumbers part(rows.random.begin(), rows.random.begin() + kPart);
    const Vector full = refitter.sensitivities(rows.random, rows.of_concept);
    scores(i, 0) = stats::tcav(refitter.sensitivities(part, rows.of_concept));
    scores(i, 1) = multi_tcav(refitter, rows, runs);
    for (std::size_t k = 0; k < rules.size(); ++k)
      scores(i, static_cast<Index>(k) + 2) = stats::score(full, rules[k]);
  });
  return scores;
}

Figure panel(const RealCase& one, std::size_t number, const std::vector<Matrix>& scores, bool variance) {
  Figure figure;
  figure.id = fmt::format("vary_n_{}_{}", variance ? "variance" : "mean", number);
  figure.title = fmt::format("{}: {} over the budget", one.label, variance ? "variance" : "mean score");
  figure.caption = fmt::format("The indicator and each run use {} random examples, α-TCAV all N.", kPart);
  figure.x = {"budget N", true, {}};
  figure.y = {variance ? "variance" : "mean", variance, {}};
  for (std::size_t k = 0; k < kMethods.size(); ++k) {
    Curve curve{kMethods[k], {}, {}, {}, Style::kJoined, kColours[k], true};
    for (std::size_t i = 0; i < kBudgets.size(); ++i) {
      const SampleMoments found = sample_moments(Vector(scores[i].col(static_cast<Index>(k))));
      if (variance && !(found.variance > 0)) continue;
      curve.x.push_back(static_cast<double>(kBudgets[i]));
      curve.y.push_back(variance ? found.variance : found.mean);
      curve.error.push_back(variance ? found.variance_error : found.mean_error);
    }
    figure.curves.push_back(curve);
  }
  return figure;
}

Figure exponents(bool redraw_concept) {
  Figure figure;
  figure.id = redraw_concept ? "vary_n_exponents_concept" : "vary_n_exponents";
  figure.title = redraw_concept ? "How variance falls with N when the concept is drawn anew"
                                : "How variance falls with N";
  figure.caption =
      redraw_concept
          ? "The same, with the concept’s examples drawn with replacement as well: their noise stays, "
            "whatever the number of random examples, and the fall is slower than 1/N."
          : "Exponent of N in the variance of each score: −1 is 1/N, 0 is a floor. Cases where a score "
            "does not vary are left out.";
  figure.x = {"layer, concept", false, {}};
  figure.y = {"exponent of N", false, {}};
  for (std::size_t k = 0; k < kMethods.size(); ++k) {
    figure.curves.push_back({kMethods[k], {}, {}, {}, Style::kPoints, kColours[k], true});
  }
  return figure;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? std::nan("") : sum / static_cast<double>(values.size());
}

void add_claims(Figure& figure, bool redraw_concept) {
  for (std::size_t k = 0; k < kMethods.size(); ++k) {
    if (k == 4) continue;  // α* grows steeper with N, the paper predicts no exponent
    const double found = mean_of(figure.curves[k].y);
    Claim claim{kMethods[k] + ": mean exponent", {}, found, {}, true};
    if (k == 0) {
      claim.text = "The indicator has a floor: mean exponent";
      claim.paper = 0;
      claim.holds = std::abs(found) < 0.15;
    } else if (k >= 2) {
      claim.text = kMethods[k] + " falls as 1/N: mean exponent";
      claim.paper = -1;
      claim.holds = std::abs(found + 1) < 0.15;
    }
    if (redraw_concept) claim.text += ", concept drawn anew";
    figure.claims.push_back(claim);
  }
}

}  // namespace

std::vector<Figure> vary_budget(const std::vector<RealCase>& cases, const PaperOptions& options) {
  std::vector<Figure> figures = {exponents(false), exponents(true)};
  const std::vector<double> budgets(kBudgets.begin(), kBudgets.end());
  for (std::size_t c = 0; c < cases.size(); ++c) {
    if (options.progress) options.progress("vary N", static_cast<Index>(c), static_cast<Index>(cases.size()));
    for (std::size_t redraw = 0; redraw < 2; ++redraw) {
      std::vector<Matrix> scores;
      scores.reserve(kBudgets.size());
      for (const Index budget : kBudgets)
        scores.push_back(draw_scores(cases[c], budget, redraw == 1, options));
      figures[redraw].x.labels.push_back(cases[c].label);
      for (std::size_t k = 0; k < kMethods.size(); ++k) {
        std::vector<double> variances;
        variances.reserve(scores.size());
        for (const Matrix& one : scores)
          variances.push_back(sample_moments(Vector(one.col(static_cast<Index>(k)))).variance);
        if (*std::min_element(variances.begin(), variances.end()) <= 0) continue;
        figures[redraw].curves[k].x.push_back(static_cast<double>(c));
        figures[redraw].curves[k].y.push_back(power_law_exponent(budgets, variances));
      }
      if (redraw == 1 || !cases[c].first_class) continue;
      figures.push_back(panel(cases[c], c + 1, scores, false));
      figures.push_back(panel(cases[c], c + 1, scores, true));
    }
  }
  add_claims(figures[0], false);
  add_claims(figures[1], true);
  return figures;
}

}  // namespace atcav::paper
