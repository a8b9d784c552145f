#include "atcav/report/heat_map.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/report/escape.h"

namespace atcav::report {
namespace {

using Entanglement;

std::string cell(double cosine, bool diagonal) {
  if (diagonal) return fmt::format("<td>{:.0f}</td>", cosine);
  return fmt::format("<td class=\"{}\" style=\"--size:{:.0f}%\">{}{:.2f}</td>",
                     cosine < 0 ? "negative" : "positive", 60 * std::abs(cosine), cosine < 0 ? "−" : "",
                     std::abs(cosine));
}

std::string one_layer(const Entanglement& layer) {
  std::string html =
      "<div class=\"scroll\" role=\"region\" aria-label=\"cosines\" tabindex=\"0\">"
      "<table class=\"heat\"><caption>" +
      (layer.layer.empty() ? "Cosines between directions" : escape_html(layer.layer)) +
      "</caption>\n<thead><tr><td></td>";
  for (const std::string& name : layer.concepts) html += "<th scope=\"col\">" + escape_html(name) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < layer.concepts.size(); ++r) {
    html += "<tr><th scope=\"row\">" + escape_html(layer.concepts[r]) + "</th>";
    for (Index c = 0; c < layer.cosines.cols(); ++c)
      html += cell(layer.cosines(static_cast<Index>(r), c), c == static_cast<Index>(r));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string heat_map_html(const std::vector<Entanglement>& layers) {
  std::string html;
  for (const Entanglement& layer : layers) {
    if (layer.concepts.size() > 1) html += one_layer(layer);
  }
  return html;
}

}  // namespace atcav::report
