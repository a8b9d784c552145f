#include "report/figures_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/escape.h"
#include "report/figures_svg.h"
#include "report/findings.h"
#include "report/histogram.h"
#include "report/text_table.h"
#include "report/words.h"

namespace atcav::report {
namespace {

constexpr std::size_t kMostRows = 80;
constexpr double kRow = 22;
constexpr double kTop = 66;
constexpr double kLetter = 6.6;  // wide, at 12 pixels
constexpr std::size_t kLongestName = 40;

// Where a chart begins that has these words to its left.
double right_of(const std::vector<std::string>& labels) {
  std::size_t longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, width(label));
  return 40 + kLetter * static_cast<double>(longest);
}

// " at layer3".
std::string at_layer(const std::string& layer) { return layer.empty() ? "" : " at " + layer; }

// All layers of a concept together; the largest effects where there are too many.
std::vector<const Result*> rows_of(std::vector<const Result*> results) {
  if (results.size() > kMostRows) {
    std::ranges::stable_sort(results, {}, [](const Result* one) { return -std::abs(one->signed_size()); });
    results.resize(kMostRows);
  }
  std::map<std::string, std::size_t> places;
  for (const Result* one : results) places.emplace(one->concept_name, places.size());
  std::ranges::stable_sort(results, {}, [&](const Result* one) { return places.at(one->concept_name); });
  return results;
}

std::vector<std::string> labels_of(const std::vector<const Result*>& rows) {
  const bool layers =
      std::ranges::any_of(rows, [&](const Result* one) { return one->layer != rows[0]->layer; });
  std::vector<std::string> labels;
  labels.reserve(rows.size());
  for (const Result* one : rows)
    labels.push_back(
        printable(layers ? fmt::format("{} @ {}", one->concept_name, one->layer) : one->concept_name));
  return shortened(labels, kLongestName);
}

constexpr std::size_t kMostCurves = 6;
constexpr Scale kDoseAcross{0, 1.05, 70, 440};

const DoseResponse& response_of(const Result& result) {
  return result.intervention->random ? *result.intervention->random : result.intervention->of_class;
}

std::vector<Point> points_of(const std::vector<double>& values, const Scale& up) {
  std::vector<Point> points = {{kDoseAcross(0), up(0)}};
  for (std::size_t i = 0; i < values.size(); ++i) points.push_back({kDoseAcross(kDoses[i]), up(values[i])});
  return points;
}

constexpr double kChartTop = 95;
constexpr double kChartBottom = 325;

void draw_histogram(Svg& svg, const std::vector<double>& values) {
  const Histogram bins = make_histogram({values}, 0);
  const std::vector<Index>& counts = bins.counts.front();
  const Scale edges{bins.from, bins.edge(counts.size()), 60, 350};
  const Scale up{0, 1.05 * static_cast<double>(*std::ranges::max_element(counts)), kChartBottom, kChartTop};
  svg.x_axis(edges, kChartBottom, kChartTop, "sensitivity in logits, inputs at or below 0 in brown");
  svg.y_axis(up, edges.from, edges.to, "inputs");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double top = up(static_cast<double>(counts[i]));
    svg.rectangle({edges(bins.edge(i)) + 0.5, top}, edges(bins.edge(i + 1)) - edges(bins.edge(i)) - 1,
                  up.from - top, bins.edge(i) + bins.width / 2 < 0 ? colour::kAgainst : colour::kFor);
  }
}

void draw_profile(Svg& svg, const Result& result) {
  const Scale across{result.profile.alpha.front(), result.profile.alpha.back(), 430, 700, true};
  const Scale up{0, 1, kChartBottom, kChartTop};
  svg.x_axis(across, kChartBottom, kChartTop, "α");
  svg.y_axis(up, across.from, across.to, "α-TCAV");
  svg.line({across.from, up(0.5)}, {across.to, up(0.5)}, colour::kNone);
  std::vector<Point> score;
  std::vector<Point> low;
  std::vector<Point> high;
  for (std::size_t i = 0; i < result.profile.alpha.size(); ++i) {
    const double x = across(result.profile.alpha[i]);
    score.push_back({x, up(result.profile.score[i])});
    if (!result.examples) continue;
    const stats::Interval& interval = result.examples->profile_intervals[i];
    low.push_back({x, up(interval.low)});
    high.push_back({x, up(interval.high)});
  }
  if (!low.empty()) svg.band(high, low, colour::kFor);
  svg.curve(score, colour::kFor);
}

}  // namespace

std::string effects_svg(const std::vector<const Result*>& results, double level) {
  const std::vector<const Result*> rows = rows_of(results);
  const std::vector<std::string> labels = labels_of(rows);
  const double left = right_of(labels);
  const double right = left + 380;
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  const bool examples = rows.front()->examples.has_value();
  std::string description = fmt::format("{} with {} intervals; hollow: the interval holds 0",
                                        examples ? "Effect d" : "Logits", percent(level));
  if (results.size() > rows.size())
    description += fmt::format("; the {} largest of {}", rows.size(), results.size());
  Svg svg(right + 190, bottom + 50, "What moves " + class_words(rows.front()->class_name), description);
  std::vector<double> values = {0};
  for (const Result* one : rows)
    values.insert(values.end(),
                  {measure(*one).value_or(0), measure_interval(*one).low, measure_interval(*one).high});
  const Scale scale = scale_over(values, left, right);
  svg.x_axis(scale, bottom, kTop,
             examples ? "d: standardised effect on the logit" : "logits along the direction");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result& one = *rows[i];
    const double y = kTop + kRow * (static_cast<double>(i) + 0.5);
    const Use use = verdict_of(one, level).use;
    const char* shade = use == Use::kFor       ? colour::kFor
                        : use == Use::kAgainst ? colour::kAgainst
                                               : colour::kNone;
    const stats::Interval& interval = measure_interval(one);
    if (i > 0 && one.concept_name != rows[i - 1]->concept_name)
      svg.line({20, y - kRow / 2}, {right, y - kRow / 2}, colour::kLine);
    if (std::isfinite(interval.low)) svg.line({scale(interval.low), y}, {scale(interval.high), y}, shade, 2);
    if (measure(one)) svg.dot({scale(*measure(one)), y}, shade, holds_zero(one));
    svg.text({left - 12, y + 4}, labels[i], Anchor::kEnd);
    svg.text({right + 12, y + 4}, signed_words(measure(one), interval), Anchor::kStart, colour::kMuted);
  }
  return svg.finish();
}

std::string dose_svg(const std::vector<const Result*>& results, double level) {
  const std::size_t count = std::min(results.size(), kMostCurves);
  const Result& first = *results.front();
  const bool random = first.intervention->random.has_value();
  std::string description =
      fmt::format("On {} inputs, {} intervals over inputs; dashed: what leaving the usual activations costs",
                  random ? "random" : "class", percent(level));
  if (count < results.size()) description += fmt::format("; {} of {} classes", count, results.size());
  Svg svg(620, 380, fmt::format("Adding {}{}", first.concept_name, at_layer(first.layer)), description);
  std::vector<double> values = {0};
  for (std::size_t i = 0; i < count; ++i) {
    const DoseResponse& response = response_of(*results[i]);
    for (const auto* list : {&response.odd, &response.low, &response.high, &response.even})
      values.insert(values.end(), list->begin(), list->end());
  }
  const Scale up = scale_over(values, 325, 85);
  svg.x_axis(kDoseAcross, up.from, up.to, "dose: steps from the random mean to the concept's");
  svg.y_axis(up, kDoseAcross.from, kDoseAcross.to, "change of the logit");
  for (std::size_t i = 0; i < count; ++i) {
    const DoseResponse& response = response_of(*results[i]);
    const char* shade = series_colour(i);
    svg.curve(points_of(response.even, up), shade, true);
    svg.curve(points_of(response.odd, up), shade);
    for (std::size_t dose = 0; dose < response.odd.size(); ++dose) {
      const double x = kDoseAcross(kDoses[dose]);
      if (std::isfinite(response.low[dose]))
        svg.line({x, up(response.low[dose])}, {x, up(response.high[dose])}, shade, 2);
      svg.dot({x, up(response.odd[dose])}, shade);
    }
    const double y = 95 + 22 * static_cast<double>(i);
    svg.dot({465, y - 4}, shade);
    svg.text({477, y}, shortened({class_words(results[i]->class_name)}, 20).front());
  }
  return svg.finish();
}

std::string speaks_for_svg(const SpeaksFor& found) {
  constexpr double kBar = 24;
  std::vector<SpeaksFor::Class> bars = found.most;
  // The least come most negative first; read downwards they go on where the others end. Few classes are in
  // both.
  const std::vector<SpeaksFor::Class> least(found.least.rbegin(), found.least.rend());
  for (const SpeaksFor::Class& one : least) {
    if (std::ranges::none_of(bars, [&](const auto& bar) { return bar.index == one.index; }))
      bars.push_back(one);
  }
  std::vector<std::string> names;
  std::vector<double> values = {0};
  for (const SpeaksFor::Class& bar : bars) {
    names.push_back(printable(bar.name.empty() ? fmt::format("class {}", bar.index) : bar.name));
    values.push_back(bar.odd);
  }
  names = shortened(names, 28);
  const double left = right_of(names);
  const double right = left + 360;
  const double bottom = kTop + kBar * static_cast<double>(bars.size());
  Svg svg(std::max(right + 70, 520.0), bottom + 50,
          fmt::format("What {} speaks for{}", found.concept_name, at_layer(found.layer)),
          "Change of each logit when one step of the concept is added to random inputs");
  const Scale across = scale_over(values, left, right);
  svg.x_axis(across, bottom, kTop, "logits");
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = kTop + kBar * static_cast<double>(i);
    const double start = across(std::min(bars[i].odd, 0.0));
    svg.rectangle({start, y + 4}, across(std::max(bars[i].odd, 0.0)) - start, kBar - 8,
                  bars[i].odd < 0 ? colour::kAgainst : colour::kFor);
    svg.text({left - 12, y + 16}, names[i], Anchor::kEnd);
    svg.text({right + 12, y + 16}, signed_words(bars[i].odd, {-INFINITY, INFINITY}), Anchor::kStart,
             colour::kMuted);
  }
  return svg.finish();
}

std::string sensitivity_svg(const Result& result, double level) {
  const std::string band = result.examples ? fmt::format(", with {} intervals", percent(level)) : "";
  Svg svg(740, 380,
          fmt::format("How {} moves {}{}", result.concept_name, class_words(result.class_name),
                      at_layer(result.layer)),
          fmt::format("Sensitivities of {} inputs, and α-TCAV over α{}", result.n_class, band));
  std::vector<double> values;
  for (const double one : result.sensitivities) values.push_back(result.step * one);
  draw_histogram(svg, values);
  draw_profile(svg, result);
  return svg.finish();
}

}  // namespace atcav::report
