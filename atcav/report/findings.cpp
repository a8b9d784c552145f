#include "atcav/report/findings.h"

#include <fmt/format.h>

#include <algorithm>
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
    const Accuracy& accuracy = examples->accuracy;
    html += fact("Test of use", p_words(examples->significance.bonferroni) +
                                    (tests > 1 ? fmt::format(" over {} tests", tests) : ""));
    html += fact("Encoded", fmt::format("{}, accuracy {:.2f} ({})",
                                        verdict_of(result, level).encoded ? "yes" : "not shown",
                                        accuracy.held_out, interval_words(accuracy.interval)));
  }
  // Of a concept that is not shown to be used the direction is noise, and so is what adding it does.
  const bool used = verdict_of(result, level).use != Use::kNoEvidence;
  if (const std::string words = specificity(result); used && !words.empty())
    html += fact("Particular", words);
  return "<dl class=\"facts\">" + html + "</dl>";
}

std::string shown_effect(const Result& result) {
  const double value = measure(result);
  return fmt::format("{}{:.2f}", value < 0 ? "−" : "+", std::abs(value));
}

std::string other_layers(const std::vector<const Result*>& results, double level) {
  std::string items;
  for (const Result* result : results) {
    items += fmt::format("<li class=\"{}\">{} <b>{}</b></li>", word(verdict_of(*result, level).use),
                         escape_html(result->layer), shown_effect(*result));
  }
  return "<ul class=\"layers\" aria-label=\"effect by layer\">" + items + "</ul>";
}

std::string finding(const std::vector<const Result*>& results, double level, std::size_t tests,
                    double reach) {
  const Result& lead = strongest(results, level);
  return fmt::format(
      "<li class=\"finding {}\"><div class=\"words\"><p><strong>{}:</strong> {}</p>{}{}</div>{}</li>\n",
      word(verdict_of(lead, level).use), escape_html(lead.concept_name),
      unbroken(sentence(lead, level, results.size() > 1)), facts(lead, level, tests),
      results.size() > 1 ? other_layers(results, level) : "", gauge_html(lead, reach));
}

}  // namespace

double measure(const Result& result) { return result.examples ? result.effect.d : result.effect.logits; }

const stats::Interval& measure_interval(const Result& result) {
  return result.examples ? result.effect.d_interval : result.effect.interval;
}

double gauge_reach(const std::vector<Result>& results) {
  double reach = results.front().examples ? stats::kStrongEffect : 0;
  for (const Result& result : results) reach = std::max(reach, 1.5 * std::abs(measure(result)));
  return reach > 0 ? reach : 1;
}

std::string gauge_html(const Result& result, double reach) {
  const auto place = [reach](double value) { return std::clamp(0.5 + value / (2 * reach), 0.0, 1.0); };
  const stats::Interval& interval = measure_interval(result);
  return fmt::format(
      R"(<span class="gauge" style="--at:{:.4f};--low:{:.4f};--high:{:.4f}" aria-hidden="true"><i></i><b></b></span>)",
      place(measure(result)), place(interval.low), place(interval.high));
}

const Result& strongest(const std::vector<const Result*>& results, double level) {
  const Result* best = nullptr;
  const auto distance = [](const Result& r) { return std::abs(measure(r)); };
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
  const double reach = gauge_reach(results);
  std::string html;
  for (const std::string& class_name : classes) {
    if (classes.size() > 1) html += "<h3>" + escape_html(class_name) + "</h3>\n";
    html +=
        "<div class=\"scale\" aria-hidden=\"true\"><span>against</span><span>0</span>"
        "<span>for</span></div>\n<ul class=\"findings\">\n";
    for (const std::string& concept_name : concepts) {
      const auto group = groups.find({class_name, concept_name});
      if (group != groups.end()) html += finding(group->second, level, results.size(), reach);
    }
    html += "</ul>\n";
  }
  return html;
}

}  // namespace atcav::report
