#include "atcav/report/given_html.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "atcav/base/check.h"
#include "atcav/report/assets.h"
#include "atcav/report/escape.h"
#include "atcav/report/gauge.h"
#include "atcav/report/given_words.h"
#include "atcav/report/heat_map.h"
#include "atcav/report/names.h"
#include "atcav/report/notes.h"
#include "atcav/report/reproduce.h"
#include "atcav/report/template.h"

namespace atcav::report {
namespace {

using GivenScore;
using RunResult;
using Shown = std::map<std::string, std::map<Index, Thumbnail>>;

double score_of(const GivenScore& given) { return given.alpha_tcav.at(given.headline); }

std::string findings_html(const std::vector<GivenScore>& given, double level) {
  const std::vector<std::string> classes = classes_of(given);
  const bool layer = layers_of(given).size() > 1;
  std::string html;
  for (const std::string& class_name : classes) {
    if (classes.size() > 1) html += "<h3>" + escape_html(class_name) + "</h3>\n";
    html +=
        "<div class=\"scale\" aria-hidden=\"true\"><span>against</span><span>no effect</span>"
        "<span>for</span></div>\n<ul class=\"findings\">\n";
    for (const GivenScore& score : given) {
      if (score.class_name != class_name) continue;
      html += fmt::format(
          "<li class=\"finding {}\"><div class=\"words\"><p><strong>{}:</strong> {}</p></div>{}</li>\n",
          word(use_of(score)), escape_html(score.concept_name),
          escape_html(given_sentence(score, level, layer)),
          gauge_html(score_of(score), score.intervals.at(score.headline).interval));
    }
    html += "</ul>\n";
  }
  return html;
}

// The score from 0 to 1 over the grid of α, which is even in log α.
std::string curve_html(const stats::Profile& profile) {
  std::string path;
  for (std::size_t i = 0; i < profile.score.size(); ++i)
    path += fmt::format("{}{} {:.2f}", i == 0 ? "M" : "L", i, 10 * (1 - profile.score[i]));
  return fmt::format(
      "<svg class=\"curve\" viewBox=\"0 0 {0} 10\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{1:.2f} at α {2:g} to {3:.2f} at α {4:g}\"><path class=\"half\" d=\"M0 5H{0}\"/>"
      "<path class=\"line\" d=\"{5}\"/></svg>",
      profile.score.size() - 1, profile.score.front(), profile.alpha.front(), profile.score.back(),
      profile.alpha.back(), path);
}

std::string cell(double value, const stats::Interval& interval) {
  return fmt::format("<td class=\"number\"><span class=\"value\">{:.3f}</span> <small>{}</small></td>", value,
                     interval_words(interval));
}

std::string table_html(const std::vector<GivenScore>& given, double level) {
  std::string html = fmt::format(
      "<table id=\"scores\"><caption>Scores with {} intervals over inputs</caption>\n<thead><tr>"
      "<th scope=\"col\">Direction</th><th scope=\"col\" class=\"place\">Class</th>"
      "<th scope=\"col\" class=\"place\">Layer</th><th scope=\"col\" class=\"number\">Score</th>"
      "<th scope=\"col\" class=\"number\">TCAV</th><th scope=\"col\">Score over α</th>"
      "<th scope=\"col\" class=\"number\">Mean sensitivity</th><th scope=\"col\" class=\"number\">Inputs</th>"
      "</tr></thead>\n<tbody>\n",
      percent(level));
  for (const GivenScore& score : given) {
    const std::string class_name = escape_html(score.class_name);
    const std::string layer = escape_html(score.layer);
    html += fmt::format(
        "<tr class=\"{}\"><th scope=\"row\">{}<small class=\"where\">{} · {}</small></th>"
        "<td class=\"place\">{}</td><td class=\"place\">{}</td>",
        word(use_of(score)), escape_html(score.concept_name), class_name, layer, class_name, layer);
    html += cell(score_of(score), score.intervals.at(score.headline).interval);
    html += cell(score.tcav, score.intervals.at("tcav").interval);
    html += fmt::format("<td>{}</td><td class=\"number\">{:.3g}</td><td class=\"number\">{}</td></tr>\n",
                        curve_html(score.profile), score.magnitude, score.n_class);
  }
  return html + "</tbody></table>\n";
}

std::string inputs_list(const char* title, const std::vector<Index>& inputs, const GivenScore& score,
                        const std::map<Index, Thumbnail>& pictures) {
  std::string html = fmt::format("<h3>{}</h3><ol>", title);
  for (const Index input : inputs) {
    const auto picture = pictures.find(input);
    const std::string name =
        escape_html(picture == pictures.end() ? fmt::format("input {}", input + 1) : picture->second.name);
    const std::string value = fmt::format("{:+.2f}", score.sensitivities[input] / score.gamma);
    html += "<li>";
    if (picture != pictures.end() && !picture->second.uri.empty())
      html += fmt::format("<img src=\"{}\" alt=\"{}, sensitivity {}\">", escape_html(picture->second.uri),
                          name, value);
    html += fmt::format("<b>{0}</b><span title=\"{1}\">{1}</span></li>", value, name);
  }
  return html + "</ol>\n";
}

// Closed at first: with many directions the page would be pictures alone.
std::string extremes_html(const std::vector<GivenScore>& given, const Shown& shown) {
  std::string html;
  for (const GivenScore& score : given) {
    const auto found = shown.find(score.class_name);
    const std::map<Index, Thumbnail> pictures =
        found == shown.end() ? std::map<Index, Thumbnail>{} : found->second;
    const Extremes ends = extremes_of(score.sensitivities);
    html += fmt::format(
        "<details{}><summary>{} / {} @ {}</summary><div class=\"extremes\">{}{}</div></details>\n",
        html.empty() ? " open" : "", escape_html(score.concept_name), escape_html(score.class_name),
        escape_html(score.layer), inputs_list("Most sensitive", ends.most, score, pictures),
        inputs_list("Least sensitive", ends.least, score, pictures));
  }
  return html;
}

std::string subtitle(const RunResult& scored) {
  return escape_html(
      fmt::format("{} · {} · α = {} · {} intervals over inputs",
                  counted(concepts_of(scored.given).size(), "given direction", "given directions"),
                  listed(layers_of(scored.given), 3, "layers"), scored.given.front().headline,
                  percent(scored.options.level)));
}

}  // namespace

std::string given_html(const RunResult& scored, const Extras& extras) {
  check_at_least("given_html", "number of scores", static_cast<Index>(scored.given.size()), 1);
  const double level = scored.options.level;
  std::vector<std::string> classes = classes_of(scored.given);
  for (std::string& name : classes) name = class_words(name);
  const std::string heat_map = heat_map_html(scored.entanglement);
  const std::string warnings = warnings_html(scored);
  const std::string& headline = scored.given.front().headline;
  return fill_template(
      assets::given_page,
      {{"title", escape_html("What directions do to " + listed(classes, 3, "classes"))},
       {"subtitle", subtitle(scored)},
       {"style", std::string(assets::style) + std::string(assets::given_style)},
       {"findings", findings_html(scored.given, level)},
       {"level", percent(level)},
       {"headline", escape_html(headline)},
       {"most", fmt::format("{:.2f}", 1 / (1 + std::exp(-std::strtod(headline.c_str(), nullptr))))},
       {"table", table_html(scored.given, level)},
       {"extremes", extremes_html(scored.given, shown_thumbnails(scored.given, extras.thumbnails))},
       {"heat_map", heat_map},
       {"heat_map_hidden", heat_map.empty() ? "hidden" : ""},
       {"warnings", warnings.empty() ? "<p>None.</p>" : warnings},
       {"command_line", escape_html(extras.command_line)},
       {"command_hidden", extras.command_line.empty() ? "hidden" : ""},
       {"reproduce", reproduce_html(scored)},
       {"inputs", inputs_html(scored.inputs)},
       {"inputs_hidden", scored.inputs.empty() ? "hidden" : ""}});
}

}  // namespace atcav::report
