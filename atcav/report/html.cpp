#include "atcav/report/html.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "atcav/base/check.h"
#include "atcav/report/assets.h"
#include "atcav/report/escape.h"
#include "atcav/report/findings.h"
#include "atcav/report/heat_map.h"
#include "atcav/report/json.h"
#include "atcav/report/names.h"
#include "atcav/report/notes.h"
#include "atcav/report/reproduce.h"
#include "atcav/report/score_table.h"
#include "atcav/report/template.h"
#include "atcav/report/thumbnail.h"
#include "atcav/report/verdict.h"

namespace atcav::report {
namespace {

using Json = nlohmann::ordered_json;
using Result;
using RunResult;

// What the script works on: results.json itself, without what the page has no use for.
Json page_data(const std::string& command, const RunResult& scored, const Extras& extras) {
  Json data = Json::parse(results_json(command, scored));
  const bool analytic = scored.options.sigma == Sigma::kAnalytic;
  for (std::size_t i = 0; i < scored.results.size(); ++i) {
    data["results"][i]["sentence"] = sentence(scored.results[i], scored.options.level, true);
    if (!analytic) data["results"][i].erase("sensitivity_errors");
  }
  data.erase("entanglement");
  data["extremes"] = kExtremes;
  data["thumbnails"] = Json::object();
  for (const auto& [class_name, inputs] : shown_thumbnails(scored.results, extras.thumbnails)) {
    for (const auto& [input, thumbnail] : inputs) {
      data["thumbnails"][class_name][std::to_string(input)] = {{"name", thumbnail.name},
                                                               {"uri", thumbnail.uri}};
    }
  }
  return data;
}

std::string title(const std::vector<Result>& results) {
  std::vector<std::string> classes = classes_of(results);
  for (std::string& name : classes) name = class_words(name);
  return "What the model uses for " + listed(classes, 3, "classes");
}

std::string subtitle(const RunResult& scored) {
  const std::vector<Result>& results = scored.results;
  const std::vector<std::string> layers = layers_of(results);
  std::string text = counted(concepts_of(results).size(), "concept", "concepts");
  if (layers.size() > 1 || !layers.front().empty()) text += " · " + listed(layers, 3, "layers");
  text += fmt::format(" · {} CAVs · {} intervals", results.front().cav, percent(scored.options.level));
  return escape_html(text);
}

}  // namespace

std::string results_html(const std::string& command, const RunResult& scored, const Extras& extras) {
  check_at_least("results_html", "number of results", static_cast<Index>(scored.results.size()), 1);
  const double level = scored.options.level;
  const Json data = page_data(command, scored, extras);
  const std::string heat_map = heat_map_html(scored.entanglement);
  const std::string warnings = warnings_html(scored);
  return fill_template(
      assets::page,
      {{"title", escape_html(title(scored.results))},
       {"subtitle", subtitle(scored)},
       {"headline", escape_html(scored.results.front().headline)},
       {"style", std::string(assets::style)},
       {"findings", findings_html(scored.results, level)},
       {"table", score_table_html(scored.results, level)},
       {"layers", layers_of(scored.results).size() > 1 ? "" : "hidden"},
       {"heat_map", heat_map},
       {"heat_map_hidden", heat_map.empty() ? "hidden" : ""},
       {"warnings", warnings.empty() ? "<p>None.</p>" : warnings},
       {"charts_note", assets::library.empty() ? "" : "hidden"},
       {"command_line", escape_html(extras.command_line)},
       {"command_hidden", extras.command_line.empty() ? "hidden" : ""},
       {"reproduce", reproduce_html(scored)},
       {"inputs", inputs_html(scored.inputs)},
       {"inputs_hidden", scored.inputs.empty() ? "hidden" : ""},
       {"data", escape_json_for_script(data.dump(-1, ' ', false, Json::error_handler_t::replace))},
       {"library", escape_code_for_script(assets::library)},
       {"script", escape_code_for_script(assets::dom) + escape_code_for_script(assets::scores) +
                      escape_code_for_script(assets::charts) + escape_code_for_script(assets::views) +
                      escape_code_for_script(assets::details)}});
}

}  // namespace atcav::report
