#include "apps/paper/paper_html.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/base/version.h"
#include "atcav/report/assets.h"
#include "atcav/report/escape.h"

namespace atcav::paper {
namespace {

using report::escape_code_for_script;
using report::escape_html;

std::string number(const std::optional<double>& value) {
  if (!value) return "";
  return std::abs(*value) >= 1000 ? fmt::format("{:.0f}", *value) : fmt::format("{:.3g}", *value);
}

std::string verdict(const Claim& claim) {
  if (claim.check) return claim.holds ? "agrees" : "FAILS";
  return claim.holds ? "holds" : "does not hold";
}

std::string claims_html(const Figure& figure) {
  if (figure.claims.empty()) return "";
  std::string html = fmt::format(
      "<div class=\"scroll\"><table class=\"claims\"><caption class=\"sr\">Claims of {}</caption><thead><tr>"
      "<th scope=\"col\">Claim</th><th scope=\"col\" class=\"number\">Paper</th>"
      "<th scope=\"col\" class=\"number\">Here</th><th scope=\"col\" class=\"number\">Deviation</th>"
      "<th scope=\"col\">Verdict</th></tr></thead><tbody>\n",
      escape_html(figure.title));
  for (const Claim& claim : figure.claims) {
    const std::string deviation = claim.deviation ? number(claim.deviation) + " SE" : "";
    html += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"{}\">{}</td></tr>\n",
        escape_html(claim.text), number(claim.paper), number(claim.ours), deviation,
        claim.holds ? "good" : "bad", verdict(claim));
  }
  return html + "</tbody></table></div>\n";
}

std::string section_html(const Section& section) {
  std::string html =
      fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n",
                  escape_html(section.name), escape_html(section.title));
  html += section.figures.size() > 1 ? "<div class=\"panels\">\n" : "<div>\n";
  for (const Figure& figure : section.figures) {
    html += fmt::format(
        "<div class=\"panel\">\n<figure "
        "id=\"figure-{}\"><figcaption><b>{}</b>{}</figcaption></figure>\n{}</div>\n",
        escape_html(figure.id), escape_html(figure.title), escape_html(figure.caption), claims_html(figure));
  }
  return html + "</div>\n</section>\n";
}

std::string summary(const std::vector<Section>& sections) {
  int checks = 0;
  int passed = 0;
  double largest = 0;
  for (const Section& section : sections) {
    for (const Figure& figure : section.figures) {
      for (const Claim& claim : figure.claims) {
        if (!claim.check) continue;
        ++checks;
        passed += claim.holds ? 1 : 0;
        if (claim.deviation) largest = std::max(largest, *claim.deviation);
      }
    }
  }
  std::string text = fmt::format("{} of {} checks of this program pass", passed, checks);
  if (largest > 0) {
    text +=
        fmt::format("; the largest deviation of simulation from theory is {:.1f} standard errors", largest);
  }
  return text + ".";
}

std::string navigation(const std::vector<Section>& sections) {
  std::string html;
  for (const Section& section : sections) {
    html += fmt::format("<a href=\"#{0}\">{0}</a>\n", escape_html(section.name));
  }
  return html;
}

}  // namespace

std::string paper_html(const std::vector<Section>& sections, const PaperSetup& setup) {
  std::string body;
  for (const Section& section : sections) body += section_html(section);
  return report::fill_template(assets::page,
                               {{"style", std::string(report::assets::style) + std::string(assets::style)},
                                {"summary", summary(sections)},
                                {"navigation", navigation(sections)},
                                {"sections", body},
                                {"charts_note", report::assets::library.empty() ? "" : "hidden"},
                                {"command_line", escape_html(setup.command_line)},
                                {"version", kVersion},
                                {"data", report::escape_json_for_script(paper_json(sections, setup))},
                                {"library", escape_code_for_script(report::assets::library)},
                                {"script", escape_code_for_script(report::assets::dom) +
                                               escape_code_for_script(report::assets::charts) +
                                               escape_code_for_script(assets::script)}});
}

}  // namespace atcav::paper
