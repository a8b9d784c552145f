#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "atcav/version.h"
#include "report/escape.h"
#include "report/figures_svg.h"
#include "report/html.h"
#include "report/json_fields.h"
#include "report/text_table.h"
#include "report/words.h"

namespace atcav::report {
namespace {

Json effect_difference_json(const stats::Effect& effect) {
  return {{"difference", effect.logits},
          {"low", write_json(effect.interval.low)},
          {"high", write_json(effect.interval.high)},
          {"df", effect.degrees},
          {"p", effect.p}};
}

Json difference_json(const Difference& one) {
  Json json = {{"concept", one.concept_name},
               {"class", one.class_name},
               {"layer", one.layer},
               {"second_layer", one.second_layer},
               {"label", one.label},
               {"others_fixed", one.joint},
               {"logits", effect_difference_json(one.logits)},
               {"d", nullptr},
               {"bonferroni", one.bonferroni},
               {"benjamini_hochberg", one.benjamini_hochberg},
               {"verdicts", {one.first_verdict, one.second_verdict}},
               {"verdict_changed", one.verdict_changed}};
  json["logits"]["first"] = one.first;
  json["logits"]["second"] = one.second;
  if (one.d) {
    json["d"] = effect_difference_json(*one.d);
    json["d"]["first"] = write_json(one.first_d);
    json["d"]["second"] = write_json(one.second_d);
  }
  return json;
}

std::string label_of(const Difference& one) { return one.concept_name + (one.joint ? ", others fixed" : ""); }

std::string place_of(const Difference& one) {
  if (one.layer.empty()) return one.class_name;
  return fmt::format("{} @ {}", one.class_name,
                     one.layer == one.second_layer ? one.layer : one.layer + " → " + one.second_layer);
}

bool is_real(const Difference& one, double level) { return one.bonferroni < 1 - level; }

std::string verdict_words(const Difference& one) {
  return one.verdict_changed ? fmt::format("{} → {}", one.first_verdict, one.second_verdict)
                             : one.first_verdict;
}

std::string summary(const Comparison& found) {
  const auto real = std::ranges::count_if(found.differences,
                                          [&](const Difference& one) { return is_real(one, found.level); });
  const auto verdicts = std::ranges::count(found.differences, true, &Difference::verdict_changed);
  return fmt::format("{} of {} effects differ after correction (Bonferroni, {}); {} changed.", real,
                     found.differences.size(), percent(found.level),
                     counted(static_cast<std::size_t>(verdicts), "verdict", "verdicts"));
}

// A row per difference.
std::string differences_chart(const Comparison& found) {
  constexpr double kRow = 24;
  constexpr double kTop = 84;
  constexpr std::size_t kMost = 60;
  const std::size_t shown = std::min(found.differences.size(), kMost);
  const double bottom = kTop + kRow * static_cast<double>(shown);
  Svg svg(760, bottom + 56, "Differences of effects",
          fmt::format(
              "Second less first, with {} intervals; filled where the difference is real after correction",
              percent(found.level)));
  std::vector<double> ends = {0};
  for (std::size_t i = 0; i < shown; ++i) {
    const stats::Interval& interval = found.differences[i].logits.interval;
    if (std::isfinite(interval.low)) ends.insert(ends.end(), {interval.low, interval.high});
  }
  const Scale scale = scale_over(ends, 330, 730);
  svg.x_axis(scale, bottom, kTop - 16, "difference in logits");
  svg.line({scale(0), kTop - 16}, {scale(0), bottom}, colour::kNone);
  for (std::size_t i = 0; i < shown; ++i) {
    const Difference& one = found.differences[i];
    const double y = kTop + kRow * static_cast<double>(i);
    const stats::Effect& effect = one.logits;
    const char* shade = effect.logits < 0 ? colour::kAgainst : colour::kFor;
    svg.text({320, y + 4}, label_of(one) + ", " + place_of(one), Anchor::kEnd);
    if (std::isfinite(effect.interval.low))
      svg.line({scale(effect.interval.low), y}, {scale(effect.interval.high), y}, shade, 2);
    svg.dot({scale(effect.logits), y}, shade, !is_real(one, found.level));
  }
  return svg.finish();
}

std::string rows_html(const Comparison& found) {
  std::string rows;
  for (const Difference& one : found.differences) {
    const auto number = [](const std::string& text) {
      return fmt::format("<td class=\"number\">{}</td>", text);
    };
    rows += fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th><td>{}</td>{}{}{}{}{}<td>{}</td></tr>\n",
                        is_real(one, found.level) ? (one.logits.logits > 0 ? "for" : "against") : "none",
                        escape_html(label_of(one)), escape_html(place_of(one)),
                        number(signed_number(one.first)), number(signed_number(one.second)),
                        number(signed_words(one.logits.logits, one.logits.interval)),
                        number(p_number(one.bonferroni)),
                        number(one.d ? signed_words(one.d->logits, one.d->interval) : "undefined"),
                        escape_html(verdict_words(one)));
  }
  return rows;
}

}  // namespace

std::string comparison_json(const Comparison& found) {
  Json json = {{"atcav", kVersion},
               {"command", "compare"},
               {"runs", {found.first, found.second}},
               {"level", found.level},
               {"changed", found.changed()}};
  if (!found.notes.empty()) json["notes"] = found.notes;
  json["differences"] = Json::array();
  for (const Difference& one : found.differences) json["differences"].push_back(difference_json(one));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_table(const Comparison& found) {
  std::vector<std::vector<std::string>> rows = {{"concept", "class", "logits first", "second",
                                                 fmt::format("difference [{:g} %]", 100 * found.level),
                                                 "p corr.", "d differs by", "verdict"}};
  for (const Difference& one : found.differences) {
    const stats::Effect& effect = one.logits;
    rows.push_back(
        {printable(label_of(one)), printable(place_of(one)), fmt::format("{:+.2f}", one.first),
         fmt::format("{:+.2f}", one.second),
         fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", effect.logits, effect.interval.low, effect.interval.high),
         one.bonferroni < 0.001 ? "<.001" : fmt::format("{:.3f}", one.bonferroni),
         one.d ? fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", one.d->logits, one.d->interval.low,
                             one.d->interval.high)
               : "undefined",
         verdict_words(one)});
  }
  std::string text;
  for (const std::string& line : aligned(rows)) text += line + "\n";
  for (const std::string& note : found.notes) text += "note: " + printable(note) + "\n";
  return text + summary(found) + "\n";
}

std::string comparison_html(const Comparison& found, const std::string& command_line) {
  std::string notes;
  for (const std::string& note : found.notes) notes += fmt::format("<li>{}</li>\n", escape_html(note));
  const std::string title = "What changed between two runs";
  const std::string command =
      command_line.empty() ? ""
                           : fmt::format(
                                 "<h2>How to reproduce this</h2>\n<div class=\"command\"><pre tabindex=\"0\" "
                                 "aria-label=\"Command line\"><code>{}</code></pre></div>\n",
                                 escape_html(command_line));
  const std::string body = fmt::format(
      "<header>\n<p class=\"eyebrow\">atcav comparison</p>\n<h1>{}</h1>\n<p class=\"subtitle\">first: {} · "
      "second: {}</p>\n</header>\n<main id=\"main\">\n<section aria-labelledby=\"differences-title\">\n<h2 "
      "id=\"differences-title\">Differences</h2>\n<p>{}</p>\n<figure>{}</figure>\n<div class=\"scroll\" "
      "role=\"region\" aria-label=\"Table of differences\" tabindex=\"0\"><table><caption "
      "class=\"sr\">Differences</caption>\n<thead><tr><th scope=\"col\">Concept</th><th "
      "scope=\"col\">Class</th><th scope=\"col\" class=\"number\">Logits, first</th><th scope=\"col\" "
      "class=\"number\">second</th><th scope=\"col\" class=\"number\">Difference</th><th scope=\"col\" "
      "class=\"number\">p</th><th scope=\"col\" class=\"number\">Difference of d</th><th "
      "scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n<p class=\"note\">Both "
      "runs "
      "had the same examples and inputs, so each difference is taken pair by pair: what both share of the "
      "error "
      "cancels. The test’s null hypothesis is that over new examples and inputs both effects are the same; p "
      "is corrected for all rows (Bonferroni). A verdict may change without a real difference, where an "
      "effect "
      "lies at the border.</p>\n</section>\n{}{}</main>\n",
      title, escape_html(found.first), escape_html(found.second), summary(found), differences_chart(found),
      rows_html(found), notes.empty() ? "" : "<h2>Notes</h2>\n<ul>\n" + notes + "</ul>\n", command);
  return page_html({title, body, "null", {}});
}

}  // namespace atcav::report
