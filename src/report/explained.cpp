#include "report/explained.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "report/escape.h"
#include "report/thumbnail.h"
#include "report/words.h"

namespace atcav::report {
namespace {

// "41 %". A share below 0 is 0 by chance.
std::string share_words(double share) {
  return fmt::format("{:.0f}\u00a0%", std::abs(100 * std::max(share, 0.0)));
}

std::string share_words(double share, const stats::Interval& interval) {
  return fmt::format("{} ({:.0f} to {:.0f})", share_words(share), 100 * std::clamp(interval.low, 0.0, 1.0),
                     100 * std::clamp(interval.high, 0.0, 1.0));
}

// At least a tenth of the variance fills a bar: what is nearly nothing looks so.
std::string bars(const std::vector<Explained::Part>& parts) {
  double reach = 0.1;
  for (const Explained::Part& part : parts) reach = std::max(reach, part.share);
  std::string text;
  for (const Explained::Part& part : parts) {
    text += fmt::format(
        "<li class=\"for\"><span>{}</span><i style=\"--size:{:.1f}%\"></i><b title=\"{}\">{}</b></li>",
        escape_html(part.concept_name), 100 * std::max(part.share, 0.0) / reach,
        share_words(part.share, part.interval), share_words(part.share));
  }
  return "<ul class=\"bars\">" + text + "</ul>";
}

}  // namespace

std::string explained_words(const Explained& explained, bool layer) {
  const std::size_t q = explained.concepts.size();
  const std::string random = explained.random.mean < 0.005 ? "none" : share_words(explained.random.mean);
  std::string text = fmt::format(
      "Of the variance of {}'s logit over {} random inputs, {} {} {}{}; {} explain{} {}, all that is linear "
      "in the layer at least {}.",
      class_words(explained.class_name), explained.inputs, listed(explained.concepts, 6, "concepts"),
      q == 1 ? "explains" : "explain", share_words(explained.share, explained.interval),
      layer ? " at " + explained.layer : "", counted(q, "random direction", "random directions"),
      q == 1 ? "s" : "", random, share_words(std::max(explained.ceiling, explained.share)));
  if (q < 2 || q > 6 || explained.shapley.empty()) return text;
  std::string parts;
  for (const Explained::Part& part : explained.shapley)
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part.concept_name, share_words(part.share));
  return text + " Shapley shares: " + parts + ".";
}

std::string explained_html(const std::vector<Explained>& list) {
  if (list.empty()) return "";
  std::string rows;
  for (const Explained& one : std::span(list).first(std::min(list.size(), kDetailed))) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{} ± {:.0f}</td><td>≥ {}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        escape_html(one.class_name), escape_html(one.layer), share_words(one.share, one.interval),
        share_words(one.random.mean), 100 * one.random.sd, share_words(std::max(one.ceiling, one.share)),
        one.inputs, bars(one.shapley));
  }
  return "<table class=\"speaks\"><caption class=\"sr\">Shares of each logit's variance</caption>\n"
         "<thead><tr><th scope=\"col\">Class</th><th scope=\"col\">Layer</th><th scope=\"col\">Explained</th>"
         "<th scope=\"col\">Random directions</th><th scope=\"col\">All that is linear</th>"
         "<th scope=\"col\">Inputs</th><th scope=\"col\">Concepts (Shapley)</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table>\n";
}

}  // namespace atcav::report
