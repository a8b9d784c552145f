#include "report/stability.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/words.h"

namespace atcav::report {

std::vector<std::vector<std::string>> stability_table(const std::vector<Result>& results) {
  std::vector<std::string> concepts;
  for (const Result& one : results) {
    if (one.examples && one.examples->stability && std::ranges::count(concepts, one.concept_name) == 0)
      concepts.push_back(one.concept_name);
  }
  const std::vector<std::string> layers = layers_of(results);
  if (concepts.empty() || layers.size() < 2) return {};
  std::vector<std::vector<std::string>> rows(layers.size() + 1);
  for (auto& row : rows) row.resize(concepts.size() + 1);
  rows[0][0] = "layer";
  std::ranges::copy(concepts, rows[0].begin() + 1);
  for (std::size_t l = 0; l < layers.size(); ++l) rows[l + 1][0] = layers[l];
  for (const Result& one : results) {
    if (!one.examples || !one.examples->stability) continue;
    const auto layer = std::ranges::find(layers, one.layer) - layers.begin() + 1;
    const auto column = std::ranges::find(concepts, one.concept_name) - concepts.begin() + 1;
    rows[layer][column] = fmt::format("{:.2f}", one.examples->stability->cosine);
  }
  return rows;
}

std::string stability_html(const std::vector<Result>& results) {
  const auto rows = stability_table(results);
  if (rows.empty()) return "";
  std::string heads = "<td></td>";
  for (std::size_t c = 1; c < rows[0].size(); ++c)
    heads += "<th scope=\"col\">" + escape_html(rows[0][c]) + "</th>";
  std::string body;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    body += "<tr><th scope=\"row\">" + escape_html(rows[r][0]) + "</th>";
    for (std::size_t c = 1; c < rows[r].size(); ++c)
      body += rows[r][c].empty() ? "<td></td>"
                                 : fmt::format("<td class=\"positive\" style=\"--size:{:.0f}%\">{}</td>",
                                               60 * std::stod(rows[r][c]), rows[r][c]);
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"stability\" tabindex=\"0\"><table "
      "class=\"heat\"><caption>Stability: expected cosine between a direction and the one of as many new "
      "examples</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
      heads, body);
}

}  // namespace atcav::report
