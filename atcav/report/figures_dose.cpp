#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/report/figures_charts.h"
#include "atcav/report/figures_svg.h"
#include "atcav/report/text_table.h"
#include "atcav/report/words.h"

namespace atcav::report {
namespace {

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

}  // namespace

std::string dose_svg(const std::vector<const Result*>& results, double level) {
  const std::size_t count = std::min(results.size(), kMostCurves);
  const Result& first = *results.front();
  const bool random = first.intervention->random.has_value();
  std::string description =
      fmt::format("On {} inputs, {} intervals over inputs; dashed: what leaving the usual activations costs",
                  random ? "random" : "class", percent(level));
  if (count < results.size()) description += fmt::format("; {} of {} classes", count, results.size());
  Svg svg(620, 380,
          fmt::format("Adding {}{}", first.concept_name, first.layer.empty() ? "" : " at " + first.layer),
          description);
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

}  // namespace atcav::report
