#include "atcav/report/score_table.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/report/escape.h"
#include "atcav/report/findings.h"
#include "atcav/report/thumbnail.h"
#include "atcav/report/words.h"

namespace atcav::report {
namespace {

std::string head(const char* key, const std::string& title, const char* kind) {
  return fmt::format("<th scope=\"col\" data-key=\"{}\" class=\"{}\">{}</th>", key, kind, title);
}

std::string number(double value, const std::string& text) {
  return fmt::format("<td class=\"number\" data-v=\"{:.6g}\">{}</td>", value, text);
}

std::string number(double value) { return number(value, fmt::format("{:.2f}", value)); }

std::string with_interval(double value, const ScoreInterval& interval) {
  return number(value, fmt::format("{:.2f} <small>{}</small>", value, interval_words(interval.interval)));
}

std::string signed_text(double value) {
  return fmt::format("{}{:.2f}", value < 0 ? "−" : "+", std::abs(value));
}

std::string row(const Result& result, std::size_t index, bool layer, double level, double reach) {
  const std::string name = escape_html(result.concept_name);
  const std::string class_name = escape_html(result.class_name);
  const std::string layer_name = escape_html(result.layer);
  std::string html = fmt::format(
      "<tr data-i=\"{}\" class=\"{}\"><th scope=\"row\">{}<small class=\"where\">{}{}"
      "</small></th><td class=\"place\">{}</td>",
      index, word(verdict_of(result, level).use), "<a href=\"#closer\">" + name + "</a>", class_name,
      layer ? " · " + layer_name : "", class_name);
  if (layer) html += "<td class=\"place\">" + layer_name + "</td>";
  const stats::Interval& interval = measure_interval(result);
  const std::string range = std::isfinite(interval.low) ? fmt::format("{} to {}", signed_text(interval.low),
                                                                      signed_text(interval.high))
                                                        : "";
  html += fmt::format("<td class=\"number effect\" data-v=\"{:.6g}\">{} <small>{}</small>{}</td>",
                      measure(result), signed_text(measure(result)), range, gauge_html(result, reach));
  const auto& examples = result.examples;
  if (examples) {
    const double p = examples->significance.bonferroni;
    html += number(result.effect.logits, signed_text(result.effect.logits));
    html += number(p, escape_html(p_number(p)));
  }
  html += fmt::format(
      "<td class=\"number score\" data-v=\"{:.6g}\"><span class=\"value\">{:.3f}</span> "
      "<small class=\"range\">{}</small></td>",
      result.score(), result.score(), interval_words(result.interval()));
  if (examples) html += number(examples->empirical_bayes);
  html += with_interval(result.tcav, result.intervals.at("tcav"));
  if (examples) {
    const Accuracy& accuracy = examples->accuracy;
    html += number(accuracy.held_out, fmt::format("{:.2f} <small>{}</small>", accuracy.held_out,
                                                  interval_words(accuracy.interval)));
  } else {
    html += number(static_cast<double>(result.n_class), std::to_string(result.n_class));
  }
  const std::size_t warnings = result.warnings.size();
  html += number(static_cast<double>(warnings), warnings == 0
                                                    ? "<span aria-label=\"none\">–</span>"
                                                    : fmt::format("<a href=\"#warnings\">{}</a>", warnings));
  return html + "</tr>\n";
}

}  // namespace

std::string score_table_html(const std::vector<Result>& results, double level) {
  const bool layer = layers_of(results).size() > 1;
  const bool examples = have_examples(results);
  std::string html =
      fmt::format("<table id=\"scores\"><caption>Scores with {} intervals{}</caption>\n<thead><tr>",
                  percent(level), examples ? "" : " over inputs");
  html += head("concept", examples ? "Concept" : "Direction", "text") + head("class", "Class", "text place");
  if (layer) html += head("layer", "Layer", "text place");
  html += head("effect", examples ? "Effect d" : "Logits", "number");
  if (examples) html += head("logits", "Logits", "number") + head("p", "p of use, corrected", "number");
  html += head("score", "α-TCAV", "number");
  if (examples) html += head("posterior", "Posterior", "number");
  html += head("tcav", "TCAV", "number");
  html += examples ? head("accuracy", "Accuracy", "number") : head("inputs", "Inputs", "number");
  html += head("warnings", "Warnings", "number") + "</tr></thead>\n<tbody>\n";
  const double reach = gauge_reach(results);
  for (const std::size_t i : detailed_results(results)) html += row(results[i], i, layer, level, reach);
  return html + "</tbody></table>\n";
}

}  // namespace atcav::report
