#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/report/figures_charts.h"
#include "atcav/report/figures_svg.h"
#include "atcav/report/words.h"

namespace atcav::report {
namespace {

constexpr double kChartTop = 95;
constexpr double kChartBottom = 325;

// Bins of equal width with 0 at an edge, so that no bar mixes signs.
void draw_histogram(Svg& svg, const std::vector<double>& values) {
  std::vector<double> shown = values;
  shown.push_back(0);
  const Scale across = scale_over(shown, 60, 350);
  const double wanted = std::clamp(std::sqrt(static_cast<double>(values.size())), 4.0, 24.0);
  const double bin = (across.high - across.low) / std::round(wanted);
  const double first = std::floor(across.low / bin);
  std::vector<double> counts(static_cast<std::size_t>(std::ceil(across.high / bin) - first), 0);
  for (const double value : values) {
    // A zero is counted with what is not positive, as TCAV does.
    const double place = std::ceil(value / bin) - 1 - first;
    ++counts[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(counts.size()) - 1))];
  }
  const Scale edges{first * bin, (first + static_cast<double>(counts.size())) * bin, across.from, across.to};
  const Scale up{0, 1.05 * *std::max_element(counts.begin(), counts.end()), kChartBottom, kChartTop};
  svg.x_axis(edges, kChartBottom, kChartTop, "sensitivity in logits, inputs at or below 0 in brown");
  svg.y_axis(up, edges.from, edges.to, "inputs");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double low = (first + static_cast<double>(i)) * bin;
    svg.rectangle({edges(low) + 0.5, up(counts[i])}, edges(low + bin) - edges(low) - 1,
                  up.from - up(counts[i]), low + bin / 2 < 0 ? colour::kAgainst : colour::kFor);
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

std::string sensitivity_svg(const Result& result, double level) {
  const std::string place = result.layer.empty() ? "" : " at " + result.layer;
  const std::string band = result.examples ? fmt::format(", with {} intervals", percent(level)) : "";
  Svg svg(740, 380,
          fmt::format("How {} moves {}{}", result.concept_name, class_words(result.class_name), place),
          fmt::format("Sensitivities of {} inputs, and α-TCAV over α{}", result.n_class, band));
  std::vector<double> values;
  for (const double one : result.sensitivities) values.push_back(result.step * one);
  draw_histogram(svg, values);
  draw_profile(svg, result);
  return svg.finish();
}

}  // namespace atcav::report
