#include "atcav/report/reproduce.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "atcav/base/version.h"
#include "atcav/report/escape.h"
#include "atcav/report/json.h"

namespace atcav::report {
namespace {

using Json = nlohmann::ordered_json;

std::string definition(const std::string& term, const std::string& html) {
  return "<div><dt>" + escape_html(term) + "</dt><dd>" + html + "</dd></div>\n";
}

std::string options_html(const Json& options) {
  std::string text;
  for (const auto& [key, value] : options.items()) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", key, shown);
  }
  return escape_html(text);
}

}  // namespace

std::string reproduce_html(const RunResult& scored) {
  RunResult bare;
  bare.options = scored.options;
  const Json data = Json::parse(results_json("", bare));
  std::string html = definition("Seed", std::to_string(scored.options.seed));
  html += definition("Options", options_html(data["options"]));
  std::string versions = fmt::format("atcav {}", kVersion);
  for (const auto& [name, version] : scored.libraries) versions += fmt::format(" · {} {}", name, version);
  return html + definition("Versions", escape_html(versions));
}

std::string inputs_html(const std::vector<Input>& inputs) {
  std::string rows;
  for (const Input& input : inputs) {
    std::string shape;
    for (const Index size : input.shape) shape += (shape.empty() ? "" : " × ") + std::to_string(size);
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"path\">{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
        escape_html(input.role), escape_html(input.path), shape, escape_html(input.sha256));
  }
  return rows;
}

}  // namespace atcav::report
