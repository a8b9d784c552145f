#include "atcav/report/findings.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/report/escape.h"
#include "atcav/report/gauge.h"
#include "atcav/report/names.h"
#include "atcav/report/verdict.h"

namespace atcav::report {
namespace {

using Result;

// Escaped, and intervals do not break behind their dash.
std::string unbroken(const std::string& words) {
  std::string html = escape_html(words);
  const std::string dash = "–";
  for (std::size_t at = 0; (at = html.find(dash, at)) != std::string::npos; at += dash.size())
    html.insert(at + dash.size(), "&#8288;");
  return html;
}

std::string fact(const char* term, const std::string& words) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", term, escape_html(words));
}

std::string other_layers(const std::vector<const Result*>& results, double level) {
  std::string items;
  for (const Result* result : results) {
    const Verdict verdict = verdict_of(*result, level);
    items += fmt::format("<li class=\"{}\">{} <b>{:.2f}</b></li>", word(verdict.use),
                         escape_html(result->layer), result->alpha_tcav.at(result->headline));
  }
  return "<ul class=\"layers\" aria-label=\"score by layer\">" + items + "</ul>";
}

std::string finding(const std::vector<const Result*>& results, double level, std::size_t tests) {
  const Result& lead = strongest(results, level);
  const Verdict verdict = verdict_of(lead, level);
  std::string html = fmt::format(
      "<li class=\"finding {}\"><div class=\"words\"><p><strong>{}:</strong> {}</p>", word(verdict.use),
      escape_html(lead.concept_name), unbroken(sentence(lead, level, results.size() > 1)));
  html += "<dl class=\"facts\">" + fact("Effect", effect_words(lead, level)) +
          fact("Evidence", p_words(lead.significance.bonferroni) +
                               (tests > 1 ? fmt::format(" over {} tests", tests) : "")) +
          fact("Encoded", fmt::format("{}, accuracy {:.2f}", verdict.encoded ? "yes" : "hardly",
                                      lead.accuracy.held_out)) +
          "</dl>";
  if (results.size() > 1) html += other_layers(results, level);
  return html + "</div>" +
         gauge_html(lead.alpha_tcav.at(lead.headline), lead.intervals.at(lead.headline).interval) + "</li>\n";
}

}  // namespace

const Result& strongest(const std::vector<const Result*>& results, double level) {
  const Result* best = nullptr;
  const auto distance = [](const Result& r) { return std::abs(r.alpha_tcav.at(r.headline) - 0.5); };
  for (const Result* result : results) {
    if (verdict_of(*result, level).use == Use::kNoEvidence) continue;
    if (best == nullptr || distance(*result) > distance(*best)) best = result;
  }
  return best != nullptr ? *best : *results.back();
}

std::string findings_html(const std::vector<Result>& results, double level) {
  const std::vector<std::string> classes = classes_of(results);
  std::string html;
  for (const std::string& class_name : classes) {
    if (classes.size() > 1) html += "<h3>" + escape_html(class_name) + "</h3>\n";
    html +=
        "<div class=\"scale\" aria-hidden=\"true\"><span>against</span><span>no effect</span>"
        "<span>for</span></div>\n<ul class=\"findings\">\n";
    for (const std::string& concept_name : concepts_of(results)) {
      std::vector<const Result*> group;
      for (const Result& result : results) {
        if (result.class_name == class_name && result.concept_name == concept_name) group.push_back(&result);
      }
      if (!group.empty()) html += finding(group, level, results.size());
    }
    html += "</ul>\n";
  }
  return html;
}

}  // namespace atcav::report
