#include "report/region.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/words.h"
#include "report/escape.h"
#include "report/thumbnail.h"

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

Json region_json(const Region& region) {
  Json json = {{"width", region.width},
               {"held_out", region.held_out},
               {"low", region.interval.low},
               {"high", region.interval.high},
               {"auc", region.auc},
               {"auc_low", region.auc_interval.low},
               {"auc_high", region.auc_interval.high},
               {"gain", region.gain},
               {"gain_low", region.gain_interval.low},
               {"gain_high", region.gain_interval.high}};
  if (!region.inputs) return json;
  const RegionAtInputs& inputs = *region.inputs;
  json["inputs"] = {{"inside", inputs.inside},
                    {"inside_low", inputs.inside_interval.low},
                    {"inside_high", inputs.inside_interval.high},
                    {"logits", inputs.logits},
                    {"low", number_json(inputs.interval.low)},
                    {"high", number_json(inputs.interval.high)},
                    {"p", inputs.p},
                    {"bonferroni", inputs.bonferroni},
                    {"benjamini_hochberg", inputs.benjamini_hochberg},
                    {"sensitivities", inputs.sensitivities}};
  return json;
}

Region region_in(const Json& json) {
  const auto interval = [](const Json& of, const char* low, const char* high, double missing) {
    const auto end = [&](const char* key, double infinite) {
      return of.at(key).is_null() ? infinite : of.at(key).get<double>();
    };
    return stats::Interval{end(low, -missing), end(high, missing)};
  };
  Region region;
  json.at("width").get_to(region.width);
  json.at("held_out").get_to(region.held_out);
  region.interval = interval(json, "low", "high", HUGE_VAL);
  json.at("auc").get_to(region.auc);
  region.auc_interval = interval(json, "auc_low", "auc_high", HUGE_VAL);
  json.at("gain").get_to(region.gain);
  region.gain_interval = interval(json, "gain_low", "gain_high", HUGE_VAL);
  if (!json.contains("inputs")) return region;
  const Json& found = json["inputs"];
  RegionAtInputs& inputs = region.inputs.emplace();
  found.at("inside").get_to(inputs.inside);
  inputs.inside_interval = interval(found, "inside_low", "inside_high", HUGE_VAL);
  found.at("logits").get_to(inputs.logits);
  inputs.interval = interval(found, "low", "high", HUGE_VAL);
  found.at("p").get_to(inputs.p);
  found.at("bonferroni").get_to(inputs.bonferroni);
  found.at("benjamini_hochberg").get_to(inputs.benjamini_hochberg);
  found.at("sensitivities").get_to(inputs.sensitivities);
  return region;
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
