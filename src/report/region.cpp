#include "report/region.h"

#include <fmt/format.h>

#include <cmath>

#include "report/escape.h"
#include "report/thumbnail.h"
#include "report/words.h"

namespace atcav::report {
namespace {

std::string against_direction(const Region& region) {
  const std::string gain = signed_words(region.gain, region.gain_interval);
  if (region.tells_better()) return fmt::format("better than its direction: {}", gain);
  if (region.gain_interval.high < 0) return fmt::format("worse than its direction: {}", gain);
  return fmt::format("not shown to be better than its direction: {}", gain);
}

}  // namespace

std::string region_words(const Result& result, bool layer) {
  const Region& region = *result.region;
  return fmt::format("{} as a region{}: held-out accuracy {:.2f} ({}), {}.", result.concept_name,
                     layer ? " of " + result.layer : "", region.held_out, interval_words(region.interval),
                     against_direction(region));
}

std::string regions_html(const std::vector<Result>& results) {
  std::string rows;
  std::size_t shown = 0;
  for (const Result& one : results) {
    if (!one.region || ++shown > kDetailed) continue;
    const Region& region = *one.region;
    std::string inside = "–";
    std::string logits = "–";
    if (region.inputs) {
      inside =
          fmt::format("{:.0f}\u00a0% ({:.0f} to {:.0f})", 100 * region.inputs->inside,
                      100 * region.inputs->inside_interval.low, 100 * region.inputs->inside_interval.high);
      logits = fmt::format("{}, {}", signed_words(region.inputs->logits, region.inputs->interval),
                           p_words(region.inputs->bonferroni));
    }
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{:.2f} ({})</td><td>{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        escape_html(one.concept_name), escape_html(one.class_name), escape_html(one.layer), region.held_out,
        interval_words(region.interval), signed_words(region.gain, region.gain_interval), inside, logits);
  }
  if (rows.empty()) return "";
  return "<table class=\"regions\"><caption class=\"sr\">Concepts as regions</caption>\n<thead><tr>"
         "<th scope=\"col\">Concept</th><th scope=\"col\">Class</th><th scope=\"col\">Layer</th>"
         "<th scope=\"col\">Held-out accuracy</th><th scope=\"col\">Against the direction</th>"
         "<th scope=\"col\">Class inputs inside</th><th scope=\"col\">Logits towards it (p corrected)</th>"
         "</tr></thead>\n<tbody>\n" +
         rows + "</tbody></table>\n";
}

}  // namespace atcav::report
