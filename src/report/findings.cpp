#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "report/escape.h"
#include "report/thumbnail.h"
#include "report/words.h"

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

std::string partners(const Result& result, const std::vector<Entanglement>& entanglement) {
  std::string words;
  for (const Entanglement& layer : entanglement) {
    if (layer.layer != result.layer) continue;
    const auto own = std::ranges::find(layer.concepts, result.concept_name);
    if (own == layer.concepts.end()) continue;
    const Index row = own - layer.concepts.begin();
    for (Index c = 0; c < layer.cosines.cols(); ++c) {
      if (c == row || layer.cosines(row, c) < kEntangled) continue;
      words += fmt::format("{}{} (cosine {:.2f})", words.empty() ? "with " : ", ", layer.concepts[c],
                           layer.cosines(row, c));
    }
  }
  return words.empty() ? "" : words + ": what is found for one may belong to the other";
}

std::string encoded_fact(const Accuracy& accuracy) {
  const auto [name, value, interval] = accuracy.deciding();
  return fact("Encoded", fmt::format("{}, {} {:.2f} ({})", accuracy.encoded() ? "yes" : "not shown", name,
                                     value, interval_words(interval)));
}

std::string joint_fact(const Result& result) {
  if (!result.joint) return "";
  std::string html =
      fact("Other labels held fixed",
           fmt::format("d = {}, {}", signed_words(result.joint->effect.d, result.joint->effect.d_interval),
                       p_words(result.joint->bonferroni)));
  if (const auto& encoding = result.joint->encoding) {
    html += fact("Encoded", fmt::format("{}, correlation {:.2f} ({}) given the others",
                                        encoding->encoded() ? "yes" : "not shown", encoding->correlation,
                                        interval_words(encoding->interval)));
  }
  return html;
}

std::string facts(const Result& result, double level, std::size_t tests,
                  const std::vector<Entanglement>& entanglement) {
  std::string html = fact("Effect", effect_words(result, level));
  if (const auto& examples = result.examples) {
    html += fact("Test of use", p_words(examples->significance.bonferroni) +
                                    (tests > 1 ? fmt::format(" over {} tests", tests) : ""));
    html += result.label ? joint_fact(result) : encoded_fact(examples->accuracy);
  }
  if (const std::string words = specificity(result); !words.empty()) html += fact("Particular", words);
  if (const std::string words = erasure_words(result); !words.empty()) html += fact("Without it", words);
  if (const std::string words = real_words(result); !words.empty()) html += fact("Real examples", words);
  if (const std::string words = negatives_words(result); !words.empty())
    html += fact("Other negatives", words);
  if (!result.intervention && result.examples)
    html += fact("Evidence", "first order only: nothing was added or taken away");
  if (const std::string words = partners(result, entanglement); !words.empty())
    html += fact("Entangled", words);
  return "<dl class=\"facts\">" + html + "</dl>";
}

// What layers are compared by: d is measured in another unit at each.
std::optional<double> over_layers(const Result& result) {
  const auto& found = result.effect.standardised;
  return found ? std::optional(found->value) : measure(result);
}

std::string other_layers(const std::vector<const Result*>& results, double level) {
  std::string items;
  for (const Result* result : results) {
    items += fmt::format("<li class=\"{}\">{} <b>{}</b></li>", word(verdict_of(*result, level).use),
                         escape_html(result->layer), signed_number(over_layers(*result)));
  }
  return "<ul class=\"layers\" aria-label=\"effect by layer\">" + items + "</ul>";
}

using Groups = std::vector<const std::vector<const Result*>*>;

using GroupRank = std::pair<bool, double>;

// Those with a verdict first, then by size.
GroupRank rank_of(const std::vector<const Result*>& group, double level) {
  const Result& lead = strongest(group, level);
  return {verdict_of(lead, level).use == Use::kNoEvidence, -std::abs(lead.signed_size())};
}

// At least three.
Groups strongest_groups(const Groups& groups, std::size_t most, double level) {
  std::vector<std::pair<GroupRank, std::size_t>> order;
  for (std::size_t g = 0; g < groups.size(); ++g) order.emplace_back(rank_of(*groups[g], level), g);
  std::ranges::sort(order);
  order.resize(std::min(order.size(), std::max<std::size_t>(most, 3)));
  Groups found;
  for (const auto& [of, g] : order) found.push_back(groups[g]);
  return found;
}

struct ClassFindings {
  std::string class_name;
  Groups groups;
  std::size_t all = 0;  // concepts, of which the groups are the strongest
};

// Of many classes those whose first finding is strongest, in the order they had.
void keep_strongest(std::vector<ClassFindings>& classes, double level) {
  if (classes.size() <= kAllClasses) return;
  std::vector<std::pair<GroupRank, std::size_t>> order;
  for (std::size_t k = 0; k < classes.size(); ++k)
    order.emplace_back(rank_of(*classes[k].groups.front(), level), k);
  std::ranges::sort(order);
  order.resize(kMostClasses);
  std::ranges::sort(order, {}, [](const auto& one) { return one.second; });
  std::vector<ClassFindings> kept;
  kept.reserve(order.size());
  for (const auto& [of, k] : order) kept.push_back(std::move(classes[k]));
  classes = std::move(kept);
}

struct Shared {
  double level;
  std::size_t tests;
  double reach;
  const std::vector<Entanglement>& entanglement;
};

std::string finding(const std::vector<const Result*>& results, const Shared& shared) {
  const Result& lead = strongest(results, shared.level);
  return fmt::format(
      "<li class=\"finding {}{}\" data-concept=\"{}\" data-class=\"{}\" data-layer=\"{}\"><div "
      "class=\"words\"><p><strong>{}:</strong> {}</p>{}{}{}</div>{}</li>\n",
      word(verdict_of(lead, shared.level).use), holds_zero(lead) ? " unsure" : "",
      escape_html(lead.concept_name), escape_html(lead.class_name), escape_html(lead.layer),
      escape_html(lead.concept_name), unbroken(sentence(lead, shared.level, results.size() > 1)),
      facts(lead, shared.level, shared.tests, shared.entanglement),
      lead.truth.empty() ? "" : "<p class=\"truth\">True: " + escape_html(lead.truth) + "</p>",
      results.size() > 1 ? other_layers(results, shared.level) : "", gauge_html(lead, shared.reach));
}

std::string head(const char* key, const std::string& title, const char* kind) {
  return fmt::format("<th scope=\"col\" data-key=\"{}\" class=\"{}\">{}</th>", key, kind, title);
}

std::string number(double value, const std::string& text) {
  return fmt::format("<td class=\"number\" data-v=\"{:.6g}\">{}</td>", value, text);
}

std::string number(double value) { return number(value, fmt::format("{:.2f}", value)); }

std::string with_interval(double value, const stats::Interval& interval) {
  return number(value, fmt::format("{:.2f} <small>{}</small>", value, interval_words(interval)));
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
  const std::string range = std::isfinite(interval.low) ? fmt::format("{} to {}", signed_number(interval.low),
                                                                      signed_number(interval.high))
                                                        : "";
  html += fmt::format("<td class=\"number effect\" data-v=\"{:.6g}\">{} <small>{}</small>{}</td>",
                      result.signed_size(), signed_number(measure(result)), range, gauge_html(result, reach));
  const auto& examples = result.examples;
  if (examples) html += number(result.effect.logits, signed_number(result.effect.logits));
  html += number(result.corrected_p(), escape_html(p_number(result.corrected_p())));
  html += fmt::format(
      "<td class=\"number score\" data-v=\"{:.6g}\"><span class=\"value\">{:.3f}</span> "
      "<small class=\"range\">{}</small></td>",
      result.score(), result.score(), interval_words(result.interval()));
  if (examples) html += number(examples->empirical_bayes);
  html += with_interval(result.tcav, result.intervals.at("tcav").interval);
  html += result.label ? "<td class=\"number\"></td>"
          : examples   ? with_interval(examples->accuracy.held_out, examples->accuracy.interval)
                       : number(static_cast<double>(result.n_class), std::to_string(result.n_class));
  const std::size_t warnings = result.warnings.size();
  html += number(static_cast<double>(warnings), warnings == 0
                                                    ? "<span aria-label=\"none\">–</span>"
                                                    : fmt::format("<a href=\"#warnings\">{}</a>", warnings));
  return html + "</tr>\n";
}

}  // namespace

std::optional<double> measure(const Result& result) {
  return result.examples ? result.effect.d : result.effect.logits;
}

const stats::Interval& measure_interval(const Result& result) {
  return result.examples ? result.effect.d_interval : result.effect.interval;
}

bool holds_zero(const Result& result) {
  const stats::Interval& interval = measure(result) ? measure_interval(result) : result.effect.interval;
  return interval.low <= 0 && interval.high >= 0;
}

double gauge_reach(const std::vector<Result>& results) {
  double reach = results.front().examples ? stats::kStrongEffect : 0;
  for (const Result& result : results) reach = std::max(reach, 1.5 * std::abs(measure(result).value_or(0)));
  return reach > 0 ? reach : 1;
}

std::string gauge_html(const Result& result, double reach) {
  if (!measure(result)) return "";
  const auto place = [reach](double value) { return std::clamp(0.5 + value / (2 * reach), 0.0, 1.0); };
  const stats::Interval& interval = measure_interval(result);
  return fmt::format(
      R"(<span class="gauge{}" style="--at:{:.4f};--low:{:.4f};--high:{:.4f}" aria-hidden="true"><i></i><b></b></span>)",
      holds_zero(result) ? " hollow" : "", place(*measure(result)), place(interval.low),
      place(interval.high));
}

const Result& strongest(const std::vector<const Result*>& results, double level) {
  const Result* best = nullptr;
  const auto distance = [](const Result& r) { return std::abs(r.signed_size()); };
  for (const Result* result : results) {
    if (verdict_of(*result, level).use == Use::kNoEvidence) continue;
    if (best == nullptr || distance(*result) > distance(*best)) best = result;
  }
  return best != nullptr ? *best : *results.back();
}

std::string findings_html(const std::vector<Result>& results, double level,
                          const std::vector<Entanglement>& entanglement) {
  std::unordered_map<std::string, std::map<std::string, std::vector<const Result*>>> of_classes;
  for (const Result& result : results) of_classes[result.class_name][result.concept_name].push_back(&result);
  const std::vector<std::string> classes = classes_of(results);
  const std::vector<std::string> concepts = concepts_of(results);
  const Shared shared{level, results.size(), gauge_reach(results), entanglement};
  std::size_t all_groups = 0;
  for (const auto& [name, groups] : of_classes) all_groups += groups.size();
  std::vector<ClassFindings> shown;
  for (const std::string& class_name : classes) {
    ClassFindings own{class_name, {}, 0};
    const auto& groups = of_classes[class_name];
    for (const std::string& concept_name : concepts) {
      const auto group = groups.find(concept_name);
      if (group != groups.end()) own.groups.push_back(&group->second);
    }
    own.all = own.groups.size();
    if (all_groups > kMostFindings)
      own.groups = strongest_groups(own.groups, kMostFindings / classes.size(), level);
    shown.push_back(std::move(own));
  }
  keep_strongest(shown, level);
  std::string html;
  for (const ClassFindings& own : shown) {
    html += fmt::format("<div class=\"of-class\" data-class=\"{}\">\n", escape_html(own.class_name));
    if (classes.size() > 1) html += "<h3>" + escape_html(own.class_name) + "</h3>\n";
    html +=
        "<div class=\"scale\" aria-hidden=\"true\"><span>against</span><span>0</span>"
        "<span>for</span></div>\n<ul class=\"findings\">\n";
    for (const auto* group : own.groups) html += finding(*group, shared);
    html += "</ul>\n";
    if (own.groups.size() < own.all)
      html +=
          fmt::format("<p class=\"note\">The {} strongest of {} concepts.</p>\n", own.groups.size(), own.all);
    html += "</div>\n";
  }
  if (shown.size() < classes.size())
    html += fmt::format(
        "<p class=\"note\" id=\"no-findings\">Findings are shown for the {} classes that have the "
        "strongest; the table below has all {}.</p>\n",
        shown.size(), classes.size());
  return html;
}

std::string score_table_html(const std::vector<Result>& results, double level) {
  const bool layer = layers_of(results).size() > 1;
  const bool examples = have_examples(results);
  std::string html =
      fmt::format("<table id=\"scores\"><caption>Scores with {} intervals{}</caption>\n<thead><tr>",
                  percent(level), examples ? "" : " over inputs");
  html += head("concept", examples ? "Concept" : "Direction", "text") + head("class", "Class", "text place");
  if (layer) html += head("layer", "Layer", "text place");
  html += head("effect", examples ? "Effect d" : "Logits", "number");
  if (examples) html += head("logits", "Logits", "number");
  html += head("p", examples ? "p of use, corrected" : "p over inputs, corrected", "number");
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
