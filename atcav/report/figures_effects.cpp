#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/report/escape.h"
#include "atcav/report/figures_charts.h"
#include "atcav/report/figures_svg.h"
#include "atcav/report/findings.h"
#include "atcav/report/text_table.h"
#include "atcav/report/words.h"

namespace atcav::report {
namespace {

constexpr std::size_t kMostRows = 80;
constexpr double kRow = 22;
constexpr double kTop = 66;
constexpr double kLetter = 6.6;  // wide, at 12 pixels
constexpr std::size_t kLongestName = 40;

// All layers of a concept together; the largest effects where there are too many.
std::vector<const Result*> rows_of(std::vector<const Result*> results) {
  if (results.size() > kMostRows) {
    std::stable_sort(results.begin(), results.end(), [](const Result* a, const Result* b) {
      return std::abs(measure(*a)) > std::abs(measure(*b));
    });
    results.resize(kMostRows);
  }
  std::vector<std::string> order;
  for (const Result* one : results) {
    if (std::find(order.begin(), order.end(), one->concept_name) == order.end())
      order.push_back(one->concept_name);
  }
  const auto place = [&](const Result* one) {
    return std::find(order.begin(), order.end(), one->concept_name);
  };
  std::stable_sort(results.begin(), results.end(),
                   [&](const Result* a, const Result* b) { return place(a) < place(b); });
  return results;
}

std::vector<std::string> labels_of(const std::vector<const Result*>& rows) {
  const bool layers =
      std::any_of(rows.begin(), rows.end(), [&](const Result* one) { return one->layer != rows[0]->layer; });
  std::vector<std::string> labels;
  labels.reserve(rows.size());
  for (const Result* one : rows)
    labels.push_back(
        printable(layers ? fmt::format("{} @ {}", one->concept_name, one->layer) : one->concept_name));
  return shortened(labels, kLongestName);
}

}  // namespace

std::string effects_svg(const std::vector<const Result*>& results, double level) {
  const std::vector<const Result*> rows = rows_of(results);
  const std::vector<std::string> labels = labels_of(rows);
  std::size_t longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, width(label));
  const double left = 40 + kLetter * static_cast<double>(longest);
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
    values.insert(values.end(), {measure(*one), measure_interval(*one).low, measure_interval(*one).high});
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
    svg.dot({scale(measure(one)), y}, shade, holds_zero(one));
    svg.text({left - 12, y + 4}, labels[i], Anchor::kEnd);
    svg.text({right + 12, y + 4}, signed_words(measure(one), interval), Anchor::kStart, colour::kMuted);
  }
  return svg.finish();
}

}  // namespace atcav::report
