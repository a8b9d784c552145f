#include "apps/paper/paper_json.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "atcav/base/version.h"

namespace atcav::paper {
namespace {

using Json = nlohmann::ordered_json;

// In the order of Style.
constexpr std::array<const char*, 5> kStyleNames = {"line", "dashed", "points", "joined", "bars"};

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json axis_json(const Axis& axis) {
  return {{"title", axis.title}, {"logarithmic", axis.logarithmic}, {"labels", axis.labels}};
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
  for (const Claim& claim : figure.claims) {
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

std::string paper_json(const std::vector<Section>& sections, const PaperSetup& setup) {
  Json json = {{"atcav", kVersion},
               {"command", setup.command_line},
               {"repeats", setup.repeats},
               {"seed", setup.seed},
               {"sections", Json::array()}};
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
