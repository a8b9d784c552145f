#include "apps/paper/paper_html.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "atcav/version.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/html.h"

namespace atcav::paper {
namespace {

using report::escape_html;

std::string number(const std::optional<double>& value) {
  if (!value) return "";
  return std::abs(*value) >= 1000 ? fmt::format("{:.0f}", *value) : fmt::format("{:.3g}", *value);
}

std::string with_place(const Claim& claim) {
  std::string html = escape_html(claim.text);
  if (!claim.untested.empty()) html += ": " + escape_html(claim.untested);
  if (!claim.where.empty()) html += fmt::format(" <small>({})</small>", escape_html(claim.where));
  return html;
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
        with_place(claim), number(claim.paper), number(claim.ours), deviation,
        claim.untested.empty() ? claim.holds ? "good" : "bad" : "", verdict(claim));
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

using Json = nlohmann::ordered_json;

// In the order of Style.
constexpr std::array<const char*, 5> kStyleNames = {"line", "dashed", "points", "joined", "bars"};

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json axis_json(const Axis& axis) {
  return {{"title", axis.title}, {"logarithmic", axis.logarithmic}, {"labels", axis.labels}};
}

Json claim_json(const Claim& claim) {
  Json json = {{"text", claim.text},
               {"paper", optional_number(claim.paper)},
               {"ours", optional_number(claim.ours)},
               {"deviation", optional_number(claim.deviation)},
               {"holds", claim.untested.empty() ? Json(claim.holds) : Json(nullptr)},
               {"check", claim.check},
               {"verdict", verdict(claim)}};
  if (!claim.where.empty()) json["where"] = claim.where;
  if (!claim.untested.empty()) json["untested"] = claim.untested;
  return json;
}

// What the paper claims, wherever it was tested, once more in one list.
Json paper_claims_json(const std::vector<Section>& sections) {
  Json json = Json::array();
  for (const Section& section : sections) {
    for (const Figure& figure : section.figures) {
      for (const Claim& claim : figure.claims) {
        if (claim.where.empty()) continue;
        json.push_back(claim_json(claim));
        json.back()["figure"] = figure.id;
      }
    }
  }
  return json;
}

Json figure_json(const Figure& figure) {
  Json json = {{"id", figure.id},          {"title", figure.title},    {"caption", figure.caption},
               {"x", axis_json(figure.x)}, {"y", axis_json(figure.y)}, {"curves", Json::array()},
               {"marks", Json::array()},   {"claims", Json::array()}};
  for (const Curve& curve : figure.curves) {
    json["curves"].push_back({{"name", curve.name},
                              {"style", kStyleNames.at(static_cast<std::size_t>(curve.style))},
                              {"colour", curve.colour},
                              {"listed", curve.listed},
                              {"x", curve.x},
                              {"y", curve.y},
                              {"error", curve.error}});
  }
  for (const Mark& mark : figure.marks) json["marks"].push_back({{"x", mark.x}, {"label", mark.label}});
  for (const Claim& claim : figure.claims) json["claims"].push_back(claim_json(claim));
  return json;
}

std::string quoted_field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string paper_html(const std::vector<Section>& sections, const PaperSetup& setup) {
  std::string body;
  for (const Section& section : sections) body += section_html(section);
  const std::string page =
      report::fill_template(assets::page, {{"summary", summary(sections)},
                                           {"navigation", navigation(sections)},
                                           {"sections", body},
                                           {"charts_note", report::assets::library.empty() ? "" : "hidden"},
                                           {"command_line", escape_html(setup.command_line)},
                                           {"version", kVersion}});
  return report::page_html({"α-TCAV, reproduced",
                            page,
                            paper_json(sections, setup),
                            {report::assets::dom, report::assets::charts, assets::script},
                            assets::style});
}

std::string paper_json(const std::vector<Section>& sections, const PaperSetup& setup) {
  Json json = {{"atcav", kVersion},  {"command", setup.command_line},         {"repeats", setup.repeats},
               {"seed", setup.seed}, {"claims", paper_claims_json(sections)}, {"sections", Json::array()}};
  for (const Section& section : sections) {
    Json figures = Json::array();
    for (const Figure& figure : section.figures) figures.push_back(figure_json(figure));
    json["sections"].push_back({{"name", section.name}, {"title", section.title}, {"figures", figures}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string figure_csv(const Figure& figure) {
  std::string csv = std::string(kCsvHeader) + "\n";
  for (const Curve& curve : figure.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      csv += fmt::format("{},{},{},{}\n", quoted_field(curve.name), curve.x[i], curve.y[i],
                         curve.error.empty() ? "" : fmt::format("{}", curve.error[i]));
    }
  }
  return csv;
}

}  // namespace atcav::paper
