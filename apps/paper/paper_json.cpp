#include "apps/paper/paper_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "atcav/base/version.h"

namespace atcav::report {
namespace {

using Json = nlohmann::ordered_json;

std::string style_name(paper::Style style) {
  switch (style) {
    case paper::Style::kLine:
      return "line";
    case paper::Style::kDashed:
      return "dashed";
    case paper::Style::kPoints:
      return "points";
    case paper::Style::kJoined:
      return "joined";
    case paper::Style::kBars:
      break;
  }
  return "bars";
}

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json axis_json(const paper::Axis& axis) {
  return {{"title", axis.title}, {"logarithmic", axis.logarithmic}, {"labels", axis.labels}};
}

Json figure_json(const paper::Figure& figure) {
  Json json = {{"id", figure.id},          {"title", figure.title},    {"caption", figure.caption},
               {"x", axis_json(figure.x)}, {"y", axis_json(figure.y)}, {"curves", Json::array()},
               {"marks", Json::array()},   {"claims", Json::array()}};
  for (const paper::Curve& curve : figure.curves) {
    json["curves"].push_back({{"name", curve.name},
                              {"style", style_name(curve.style)},
                              {"colour", curve.colour},
                              {"listed", curve.listed},
                              {"x", curve.x},
                              {"y", curve.y},
                              {"error", curve.error}});
  }
  for (const paper::Mark& mark : figure.marks)
    json["marks"].push_back({{"x", mark.x}, {"label", mark.label}});
  for (const paper::Claim& claim : figure.claims) {
    json["claims"].push_back({{"text", claim.text},
                              {"paper", optional_number(claim.paper)},
                              {"ours", optional_number(claim.ours)},
                              {"deviation", optional_number(claim.deviation)},
                              {"holds", claim.holds},
                              {"check", claim.check}});
  }
  return json;
}

std::string quoted_field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string paper_json(const std::vector<paper::Section>& sections, const PaperSetup& setup) {
  Json json = {{"atcav", kVersion},
               {"command", setup.command_line},
               {"repeats", setup.repeats},
               {"seed", setup.seed},
               {"sections", Json::array()}};
  for (const paper::Section& section : sections) {
    Json figures = Json::array();
    for (const paper::Figure& figure : section.figures) figures.push_back(figure_json(figure));
    json["sections"].push_back({{"name", section.name}, {"title", section.title}, {"figures", figures}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string figure_csv(const paper::Figure& figure) {
  std::string csv = "curve,x,y,error\n";
  for (const paper::Curve& curve : figure.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      csv += fmt::format("{},{},{},{}\n", quoted_field(curve.name), curve.x[i], curve.y[i],
                         curve.error.empty() ? "" : fmt::format("{}", curve.error[i]));
    }
  }
  return csv;
}

}  // namespace atcav::report
