#include "atcav/report/findings.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "atcav/report/escape.h"
#include "atcav/report/words.h"

namespace atcav::report {
namespace {

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

std::string facts(const Result& result, double level, std::size_t tests) {
  std::string html = fact("Effect", effect_words(result, level));
  if (const auto& examples = result.examples) {
    const double accuracy = examples->accuracy.held_out;
    html += fact("Evidence", p_words(examples->significance.bonferroni) +
                                 (tests > 1 ? fmt::format(" over {} tests", tests) : ""));
    html += fact("Encoded", fmt::format("{}, accuracy {:.2f}",
                                        verdict_of(result, level).encoded ? "yes" : "barely", accuracy));
  }
  return "<dl class=\"facts\">" + html + "</dl>";
}

std::string other_layers(const std::vector<const Result*>& results, double level) {
  std::string items;
  for (const Result* result : results) {
    items += fmt::format("<li class=\"{}\">{} <b>{:.2f}</b></li>", word(verdict_of(*result, level).use),
                         escape_html(result->layer), result->score());
  }
  return "<ul class=\"layers\" aria-label=\"score by layer\">" + items + "</ul>";
}

std::string finding(const std::vector<const Result*>& results, double level, std::size_t tests) {
  const Result& lead = strongest(results, level);
  return fmt::format(
      "<li class=\"finding {}\"><div class=\"words\"><p><strong>{}:</strong> {}</p>{}{}</div>{}</li>\n",
      word(verdict_of(lead, level).use), escape_html(lead.concept_name),
      unbroken(sentence(lead, level, results.size() > 1)), facts(lead, level, tests),
      results.size() > 1 ? other_layers(results, level) : "", gauge_html(lead.score(), lead.interval()));
}

}  // namespace

std::string gauge_html(double score, const stats::Interval& interval) {
  return fmt::format(
      R"(<span class="gauge" style="--at:{:.4f};--low:{:.4f};--high:{:.4f}" aria-hidden="true"><i></i><b></b></span>)",
      score, interval.low, interval.high);
}

const Result& strongest(const std::vector<const Result*>& results, double level) {
  const Result* best = nullptr;
  const auto distance = [](const Result& r) { return std::abs(r.score() - 0.5); };
  for (const Result* result : results) {
    if (verdict_of(*result, level).use == Use::kNoEvidence) continue;
    if (best == nullptr || distance(*result) > distance(*best)) best = result;
  }
  return best != nullptr ? *best : *results.back();
}

std::string findings_html(const std::vector<Result>& results, double level) {
  std::map<std::pair<std::string, std::string>, std::vector<const Result*>> groups;
  for (const Result& result : results) groups[{result.class_name, result.concept_name}].push_back(&result);
  const std::vector<std::string> classes = classes_of(results);
  const std::vector<std::string> concepts = concepts_of(results);
  std::string html;
  for (const std::string& class_name : classes) {
    if (classes.size() > 1) html += "<h3>" + escape_html(class_name) + "</h3>\n";
    html +=
        "<div class=\"scale\" aria-hidden=\"true\"><span>against</span><span>no effect</span>"
        "<span>for</span></div>\n<ul class=\"findings\">\n";
    for (const std::string& concept_name : concepts) {
      const auto group = groups.find({class_name, concept_name});
      if (group != groups.end()) html += finding(group->second, level, results.size());
    }
    html += "</ul>\n";
  }
  return html;
}

}  // namespace atcav::report
