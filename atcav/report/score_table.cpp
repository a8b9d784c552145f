#include "atcav/report/score_table.h"

#include <fmt/format.h>

#include "atcav/report/escape.h"
#include "atcav/report/gauge.h"
#include "atcav/report/names.h"
#include "atcav/report/verdict.h"

namespace atcav::report {
namespace {

using Result;
using ScoreInterval;

std::string head(const char* key, const std::string& title, const char* kind) {
  return fmt::format("<th scope=\"col\" data-key=\"{}\" class=\"{}\">{}</th>", key, kind, title);
}

std::string number(double value, const std::string& text) {
  return fmt::format("<td class=\"number\" data-v=\"{}\">{}</td>", value, text);
}

std::string with_interval(double value, const ScoreInterval& interval) {
  return number(value, fmt::format("{:.2f} <small>{}</small>", value, interval_words(interval.interval)));
}

std::string row(const Result& result, std::size_t index, bool layer, double level) {
  const double score = result.alpha_tcav.at(result.headline);
  const stats::Interval& interval = result.intervals.at(result.headline).interval;
  const std::string class_name = escape_html(result.class_name);
  const std::string layer_name = escape_html(result.layer);
  std::string html = fmt::format(
      "<tr data-i=\"{}\" class=\"{}\"><th scope=\"row\"><a href=\"#closer\">{}</a><small "
      "class=\"where\">{}{}</small></th>"
      "<td class=\"place\">{}</td>",
      index, word(verdict_of(result, level).use), escape_html(result.concept_name), class_name,
      layer ? " · " + layer_name : "", class_name);
  if (layer) html += "<td class=\"place\">" + layer_name + "</td>";
  html += fmt::format(
      "<td class=\"number score\" data-v=\"{}\"><span class=\"value\">{:.3f}</span> "
      "<small class=\"range\">{}</small>{}</td>",
      score, score, interval_words(interval), gauge_html(score, interval));
  html += with_interval(result.extrapolated, result.intervals.at("extrapolated"));
  html += number(result.empirical_bayes, fmt::format("{:.2f}", result.empirical_bayes));
  html += with_interval(result.tcav, result.intervals.at("tcav"));
  html += number(result.accuracy.held_out, fmt::format("{:.2f}", result.accuracy.held_out));
  html += number(result.significance.bonferroni, escape_html(p_number(result.significance.bonferroni)));
  const std::size_t warnings = result.warnings.size();
  html += number(static_cast<double>(warnings), warnings == 0
                                                    ? "<span aria-label=\"none\">–</span>"
                                                    : fmt::format("<a href=\"#warnings\">{}</a>", warnings));
  return html + "</tr>\n";
}

}  // namespace

std::string score_table_html(const std::vector<Result>& results, double level) {
  const bool layer = layers_of(results).size() > 1;
  std::string html = fmt::format(
      "<table id=\"scores\"><caption>Scores with {} intervals</caption>\n<thead><tr>", percent(level));
  html += head("concept", "Concept", "text") + head("class", "Class", "text place");
  if (layer) html += head("layer", "Layer", "text place");
  html += head("score", "Score", "number") + head("extrapolated", "Extra­polated", "number") +
          head("posterior", "Posterior", "number") + head("tcav", "TCAV", "number") +
          head("accuracy", "Accuracy", "number") + head("p", "p, corrected", "number") +
          head("warnings", "Warnings", "number");
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < results.size(); ++i) html += row(results[i], i, layer, level);
  return html + "</tbody></table>\n";
}

}  // namespace atcav::report
