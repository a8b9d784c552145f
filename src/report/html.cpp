#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "atcav/version.h"
#include "core/check.h"
#include "report/assets.h"
#include "report/document.h"
#include "report/escape.h"
#include "report/explained.h"
#include "report/findings.h"
#include "report/region.h"
#include "report/stability.h"
#include "report/words.h"

namespace atcav::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kOverview = 12;     // concepts × layers from which there is a heat map
constexpr std::size_t kManyLayers = 4;    // fewer cosines of each then
constexpr std::size_t kMostPlaces = 400;  // letters of where a warning belongs

std::string title(const std::vector<Result>& results) {
  std::vector<std::string> classes = classes_of(results);
  for (std::string& name : classes) name = class_words(name);
  return (have_examples(results) ? "What the model uses for " : "What given directions do to ") +
         listed(classes, 3, "classes");
}

std::string subtitle(const RunResult& result) {
  const std::vector<Result>& results = result.results;
  const std::vector<std::string> layers = layers_of(results);
  const std::size_t concepts = concepts_of(results).size();
  const bool examples = have_examples(results);
  std::string text = examples ? counted(concepts, "concept", "concepts")
                              : counted(concepts, "given direction", "given directions");
  if (layers.size() > 1 || !layers.front().empty()) text += " · " + listed(layers, 3, "layers");
  text += examples ? fmt::format(" · {} CAVs", results.front().cav)
                   : fmt::format(" · α = {}", results.front().headline);
  return text +
         fmt::format(" · {} intervals{}", percent(result.options.level), examples ? "" : " over inputs");
}

// "demo.onnx · inputs: 60 zebra · examples: 96 striped, 240 random · cpu, fp32"
std::string about(const RunResult& result) {
  const std::vector<Result>& results = result.results;
  std::vector<std::string> parts;
  for (const Input& input : result.inputs) {
    if (input.role.kind == Role::Kind::kModel && !input.path.empty())
      parts.push_back("model " + std::filesystem::path(input.path).filename().string());
  }
  std::vector<std::string> inputs;
  std::vector<std::string> examples;
  std::set<std::string> known;
  for (const Result& one : results) {
    if (known.insert("class " + one.class_name).second)
      inputs.push_back(fmt::format("{} {}", one.n_class, one.class_name));
    if (one.examples && known.insert("concept " + one.concept_name).second)
      examples.push_back(fmt::format("{} {}", one.examples->n_concept, one.concept_name));
  }
  parts.push_back("inputs: " + listed(inputs, 6, "classes"));
  if (have_examples(results)) {
    const Result& first = results.front();
    parts.push_back(fmt::format("examples: {}{}", listed(examples, 8, "concepts"),
                                first.label ? "" : fmt::format("; {} random", first.examples->n_random)));
  }
  const auto device = result.libraries.find("device");
  parts.push_back(device == result.libraries.end() ? "CPU, fp32" : device->second);
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string cosine_html(double cosine, bool diagonal) {
  if (diagonal) return fmt::format("<td>{:.0f}</td>", cosine);
  return fmt::format("<td class=\"{}\" style=\"--size:{:.0f}%\">{}{:.2f}</td>",
                     cosine < 0 ? "negative" : "positive", 60 * std::abs(cosine), cosine < 0 ? "−" : "",
                     std::abs(cosine));
}

// A table per layer whose cells are shaded by size and sign; empty when no layer has two concepts.
std::string cosines_html(const std::vector<Entanglement>& layers) {
  std::string html;
  const Index most = layers.size() <= kManyLayers ? kCosines : kCosines / 3;
  for (const Entanglement& layer : layers) {
    const Index shown = std::min<Index>(most, layer.cosines.rows());
    if (shown < 2) continue;
    std::string heads;
    std::string rows;
    for (Index r = 0; r < shown; ++r) {
      const std::string name = escape_html(layer.concepts[r]);
      heads += "<th scope=\"col\">" + name + "</th>";
      rows += "<tr><th scope=\"row\">" + name + "</th>";
      for (Index c = 0; c < shown; ++c) rows += cosine_html(layer.cosines(r, c), c == r);
      rows += "</tr>\n";
    }
    html += fmt::format(
        "<div class=\"scroll\" data-layer=\"{}\" role=\"region\" aria-label=\"cosines\" "
        "tabindex=\"0\"><table "
        "class=\"heat\"><caption>{}{}</caption>\n<thead><tr><td></td>{}</tr></thead>\n<tbody>\n{}</tbody></"
        "table></div>\n",
        escape_html(layer.layer),
        layer.layer.empty() ? "Cosines between directions" : escape_html(layer.layer),
        shown < layer.cosines.rows()
            ? fmt::format(" (the first {} of {}; results.json has all)", shown, layer.cosines.rows())
            : "",
        heads, rows);
  }
  return html;
}

// Bars: of each concept and layer its classes, as long as the logit moves against the largest move of all.
std::string speaks_html(const std::vector<SpeaksFor>& list) {
  double reach = 1e-9;
  for (const SpeaksFor& one : list) {
    for (const auto* found : {&one.most, &one.least}) {
      for (const SpeaksFor::Class& of_class : *found) reach = std::max(reach, std::abs(of_class.odd));
    }
  }
  const auto classes = [reach](const std::vector<SpeaksFor::Class>& found) {
    std::string text;
    for (const SpeaksFor::Class& one : found) {
      text += fmt::format("<li class=\"{}\"><span>{}</span><i style=\"--size:{:.1f}%\"></i><b>{}</b></li>",
                          one.odd < 0 ? "against" : "for",
                          one.name.empty() ? fmt::format("class {}", one.index) : escape_html(one.name),
                          100 * std::abs(one.odd) / reach, signed_number(one.odd));
    }
    return "<ul class=\"bars\">" + text + "</ul>";
  };
  std::string rows;
  for (const SpeaksFor& one : std::span(list).first(std::min(list.size(), kDetailed))) {
    rows += fmt::format(
        "<tr data-concept=\"{0}\" data-layer=\"{1}\"><th scope=\"row\">{0}</th><td>{1}</td><td>{2}</td>"
        "<td>{3}</td></tr>\n",
        escape_html(one.concept_name), escape_html(one.layer), classes(one.most), classes(one.least));
  }
  return "<table class=\"speaks\"><caption class=\"sr\">Classes by concept and "
         "layer</caption>\n<thead><tr><th "
         "scope=\"col\">Concept</th><th scope=\"col\">Layer</th><th scope=\"col\">Raised most</th><th "
         "scope=\"col\">Lowered most</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table>\n";
}

std::string warnings_html(const RunResult& result) {
  std::string items;
  for (const std::string& note : result.notes) items += "<li>" + escape_html(note) + "</li>\n";
  for (const Warning& warning : warnings_of(result.results)) {
    std::string places = warning.places;
    if (places.size() > kMostPlaces)
      places = places.substr(0, places.rfind(", ", kMostPlaces)) + " and others";
    items +=
        fmt::format("<li><strong>{}:</strong> {}</li>\n", escape_html(places), escape_html(warning.text));
  }
  return items.empty() ? "<p>None.</p>" : "<ul>\n" + items + "</ul>\n";
}

std::string reproduce_html(const RunResult& result, const std::string& results_sha256) {
  const Json document = options_document(result.options);
  std::string options;
  for (const auto& [key, value] : document.items()) {
    options += fmt::format("{}{} {}", options.empty() ? "" : ", ", key,
                           value.is_string() ? value.get<std::string>() : value.dump());
  }
  std::string network;
  for (const std::string& line : network_lines(result.results))
    network += fmt::format("<div><dt>Network</dt><dd>{}</dd></div>\n", escape_html(line));
  std::string versions = fmt::format("atcav {}", kVersion);
  for (const auto& [name, version] : result.libraries) versions += fmt::format(" · {} {}", name, version);
  std::string own;
  if (!results_sha256.empty())
    own = fmt::format("<div><dt>results.json</dt><dd>SHA-256 <code>{}</code></dd></div>\n", results_sha256);
  return network +
         fmt::format(
             "<div><dt>Seed</dt><dd>{}</dd></div>\n<div><dt>Options</dt><dd>{}</dd></div>\n"
             "<div><dt>Versions</dt><dd>{}</dd></div>\n",
             result.options.seed, escape_html(options), escape_html(versions)) +
         own;
}

std::string inputs_html(const std::vector<Input>& inputs) {
  std::string rows;
  for (const Input& input : inputs) {
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"path\">{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
        escape_html(role_text(input.role)), escape_html(input.path), fmt::join(input.shape, " × "),
        escape_html(input.sha256));
  }
  return rows;
}

}  // namespace

std::string results_html(const RunResult& result, const Extras& extras) {
  const std::vector<Result>& results = result.results;
  check_at_least("results_html", "number of results", std::ssize(results), 1);
  const double level = result.options.level;
  const Json data = page_document(result, extras);
  const std::string cosines = cosines_html(result.entanglement);
  const auto unless = [](bool shown) { return shown ? "" : "hidden"; };
  const bool has_regions =
      std::ranges::any_of(results, [](const Result& one) { return one.region.has_value(); });
  const std::string name = escape_html(title(results));
  const std::string body = fill_template(
      assets::page,
      {{"title", name},
       {"subtitle", escape_html(subtitle(result))},
       {"level", percent(level)},
       {"headline", escape_html(results.front().headline)},
       {"about", escape_html(about(result))},
       {"findings", findings_html(results, level, result.entanglement)},
       {"examples", unless(have_examples(results))},
       {"given", unless(!have_examples(results))},
       {"table", score_table_html(results, level)},
       {"many", unless(results.size() > kDetailed)},
       {"overview", unless(concepts_of(results).size() * layers_of(results).size() >= kOverview)},
       {"atlas", unless(results.size() > kDetailed && classes_of(results).size() > 1)},
       {"detailed", std::to_string(kDetailed)},
       {"count", std::to_string(results.size())},
       {"layers", unless(layers_of(results).size() > 1)},
       {"stability", stability_html(results)},
       {"cosines", cosines},
       {"cosines_hidden", unless(!cosines.empty())},
       {"regions", regions_html(results)},
       {"regions_hidden", unless(has_regions)},
       {"explained", explained_html(result.explained)},
       {"explained_hidden", unless(!result.explained.empty())},
       {"speaks", speaks_html(result.speaks_for)},
       {"speaks_hidden", unless(!result.speaks_for.empty())},
       {"warnings", warnings_html(result)},
       {"charts_note", unless(assets::library.empty())},
       {"command_line", escape_html(extras.command_line)},
       {"command_hidden", unless(!extras.command_line.empty())},
       {"reproduce", reproduce_html(result, extras.results_sha256)},
       {"inputs", inputs_html(result.inputs)},
       {"inputs_hidden", unless(!result.inputs.empty())}});
  return page_html({name,
                    body,
                    data.dump(-1, ' ', false, Json::error_handler_t::replace),
                    {assets::dom, assets::results, assets::chosen, assets::charts, assets::maps,
                     assets::scores, assets::table, assets::overview, assets::atlas, assets::curves,
                     assets::closer, assets::negatives, assets::start}});
}

std::string page_html(const PageParts& parts) {
  std::string script;
  for (const std::string_view part : parts.scripts)
    script += fmt::format("{{\n{}}}\n", escape_code_for_script(part));
  return fill_template(assets::shell,
                       {{"title", parts.title},
                        {"style", std::string(assets::style) + std::string(parts.style)},
                        {"body", parts.body},
                        {"data", escape_json_for_script(parts.data)},
                        {"library", parts.scripts.empty() ? "" : escape_code_for_script(assets::library)},
                        {"script", script}});
}

}  // namespace atcav::report
