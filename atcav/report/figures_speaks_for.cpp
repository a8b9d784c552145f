#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/report/escape.h"
#include "atcav/report/figures_charts.h"
#include "atcav/report/figures_svg.h"
#include "atcav/report/text_table.h"
#include "atcav/report/words.h"

namespace atcav::report {

std::string speaks_for_svg(const SpeaksFor& found) {
  constexpr double kTop = 66;
  constexpr double kBar = 24;
  std::vector<SpeaksFor::Class> bars = found.most;
  // The least come most negative first; read downwards they go on where the others end. Few classes are in
  // both.
  const std::vector<SpeaksFor::Class> least(found.least.rbegin(), found.least.rend());
  for (const SpeaksFor::Class& one : least) {
    if (std::none_of(bars.begin(), bars.end(), [&](const auto& bar) { return bar.index == one.index; }))
      bars.push_back(one);
  }
  std::vector<std::string> names;
  std::vector<double> values = {0};
  for (const SpeaksFor::Class& bar : bars) {
    names.push_back(printable(bar.name.empty() ? fmt::format("class {}", bar.index) : bar.name));
    values.push_back(bar.odd);
  }
  names = shortened(names, 28);
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, width(name));
  const double left = 40 + 6.6 * static_cast<double>(longest);
  const double right = left + 360;
  const double bottom = kTop + kBar * static_cast<double>(bars.size());
  Svg svg(std::max(right + 70, 520.0), bottom + 50,
          fmt::format("What {} speaks for{}", found.concept_name,
                      found.layer.empty() ? "" : " at " + found.layer),
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

}  // namespace atcav::report
