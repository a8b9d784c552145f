#include "report/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "atcav/report.h"
#include "atcav/version.h"
#include "data/file/fail.h"
#include "pipeline/option_table.h"
#include "report/document.h"
#include "report/network_fields.h"
#include "report/result_fields.h"

namespace atcav::report {

void describe(auto& json, Input& input) {
  if constexpr (kReads<decltype(json)>)
    input.role = read_role(json.json.at("role"));
  else
    json.only_written("role", role_text(input.role));
  json("path", input.path);
  json("sha256", input.sha256);
  json("shape", input.shape);
}

void describe(auto& json, Reading::Set& set) {
  json("set", set.name);
  json("read", set.read);
  json("of", set.of);
}

void describe(auto& json, Reading& reading) {
  json.only_written("rule", reading.until ? "width of d" : "budget");
  json("until", reading.until);
  json("budget", reading.budget);
  json("sets", reading.sets);
  if (!reading.until) return;
  json("reached", reading.reached);
  json("beyond_reach", reading.beyond_reach);
  json("looks", reading.looks);
}

void describe(auto& json, SpeaksFor::Class& one) {
  json("class", one.index);
  json("name", one.name);
  json("odd", one.odd);
}

void describe(auto& json, SpeaksFor& speaks) {
  json("concept", speaks.concept_name);
  json("layer", speaks.layer);
  json("most", speaks.most);
  json("least", speaks.least);
}

void describe(auto& json, JointErasure& together) {
  json("layer", together.layer);
  json("class", together.class_name);
  json("concepts", together.concepts);
  describe_change(json, together.erasure);
  describe_ranks(json, together.erasure);
}

void describe(auto& json, Explained::Part& part) {
  json("concept", part.concept_name);
  json("share", part.share);
  json.ends(part.interval);
}

void describe(auto& json, Explained& explained) {
  json("class", explained.class_name);
  json("layer", explained.layer);
  json("concepts", explained.concepts);
  json("inputs", explained.inputs);
  json("share", explained.share);
  json.ends(explained.interval);
  json("random", explained.random);
  json("ceiling", explained.ceiling);
  json("shapley", explained.shapley);
}

void describe(auto& json, Entanglement& entanglement) {
  json("layer", entanglement.layer);
  json("concepts", entanglement.concepts);
  std::vector<std::vector<double>> cosines;
  for (const auto& row : entanglement.cosines.rowwise()) cosines.emplace_back(row.begin(), row.end());
  json("cosines", cosines);
  if constexpr (kReads<decltype(json)>) {
    entanglement.cosines.resize(std::ssize(cosines), std::ssize(cosines));
    for (Index r = 0; r < std::ssize(cosines); ++r)
      entanglement.cosines.row(r) =
          Eigen::Map<const Eigen::RowVectorXd>(cosines[r].data(), std::ssize(cosines));
  }
}

namespace {

struct JsonOf {
  Json operator()(std::monostate /*not given*/) const { return nullptr; }
  Json operator()(const auto& value) const { return value; }
};

std::vector<std::string> option_texts(const Json& value) {
  if (!value.is_array()) return {value.is_string() ? value.get<std::string>() : value.dump()};
  std::vector<std::string> texts;
  for (const Json& one : value) texts.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  return texts;
}

Options options_in(const Json& json) {
  Config config;
  for (const auto& [name, value] : json.items()) {
    std::string key = name;
    std::ranges::replace(key, '_', '-');
    find_option(key).set(config, option_texts(value));
  }
  return config.options;
}

// `results` stands in its place, whatever it holds.
void describe_run(auto& json, RunResult& run) {
  json.only_written("atcav", kVersion);
  json("command", run.command);
  if constexpr (kReads<decltype(json)>) {
    run.options = options_in(json.json.at("options"));
    json("seed", run.options.seed);
  } else {
    json("seed", run.options.seed);
  }
  json("libraries", run.libraries);
  if constexpr (!kReads<decltype(json)>) json.only_written("options", options_document(run.options));
  json.unless_empty("config", run.setup);
  json.unless_empty("notes", run.notes);
  json.if_any("reading", run.reading);
  json("inputs", run.inputs);
  json.only_written("results", Json::array());
  json.unless_empty("speaks_for", run.speaks_for);
  json.unless_empty("erased_together", run.erased_together);
  json.unless_empty("explained", run.explained);
  json("entanglement", run.entanglement);
}

// Names and paths are the user's bytes: what is not UTF-8 is replaced rather than refused.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Labels are scored from responses, at whatever level.
Json json_of(const Result& one, const RunResult& run) {
  return result_json(one, one.label ? run.options.level : run.scores_level.value_or(run.options.level));
}

std::string indented(std::string_view text, std::string_view by) {
  std::string found(by);
  for (const char c : text) {
    found += c;
    if (c == '\n') found += by;
  }
  return found;
}

RunResult run_in(const Json& json) {
  RunResult run;
  JsonReader reader(json);
  describe_run(reader, run);
  if (run.reading) run.options.until = run.reading->until;  // which intervals depend on
  for (const Json& one : json.at("results")) {
    run.results.push_back(result_in(one));
    const double level = one.at("interval").at("level");
    if (!run.results.back().label && level != run.options.level) run.scores_level = level;
  }
  return run;
}

}  // namespace

void write_results_json(const RunResult& result, const TextSink& sink) {
  JsonWriter run;
  describe_run(run, const_cast<RunResult&>(result));
  const std::string around = text_of(run.json, 1);
  // Texts within it have no line ends of their own, and only keys of the whole stand behind one blank.
  constexpr std::string_view kEmpty = "\n \"results\": [";
  const std::size_t place = around.find(kEmpty) + kEmpty.size();
  sink(std::string_view(around).substr(0, place));
  for (const Result& one : result.results)
    sink((&one == result.results.data() ? "\n" : ",\n") + indented(text_of(json_of(one, result), 1), "  "));
  sink((result.results.empty() ? "" : "\n ") + around.substr(place) + "\n");
}

void write_results_lines(const RunResult& result, const TextSink& sink) {
  for (const Result& one : result.results) sink(text_of(json_of(one, result), -1) + "\n");
}

nlohmann::ordered_json options_document(const Options& options) {
  Config config;
  config.options = options;
  Json json = Json::object();
  for (const Option& option : option_table()) {
    if (!option.recorded) continue;
    std::string key = option.key;
    std::ranges::replace(key, '-', '_');
    json[key] = std::visit(JsonOf{}, option.get(config));
  }
  return json;
}

std::string results_json(const RunResult& result) {
  std::string json;
  write_results_json(result, [&json](std::string_view text) { json += text; });
  return json;
}

std::string timings_json(const RunResult& result) {
  Json json = {{"atcav", kVersion}, {"seconds", Json::object()}};
  for (const auto& [stage, seconds] : result.seconds) json["seconds"][stage] = seconds;
  json["examples_run"] = result.examples_run;
  if (!result.bytes_sent.empty()) json["bytes_sent"] = result.bytes_sent;
  json["remarks"] = result.remarks;
  return text_of(json, 1) + "\n";
}

RunResult read_results(const std::string& text, const std::string& name) {
  try {
    return run_in(Json::parse(text));
  } catch (const std::logic_error& error) {  // a bad option, role or word
    data::fail_file("results", name, "is not a results.json of this version of atcav: {}", error.what());
  } catch (const Json::exception& error) {
    data::fail_file("results", name, "is not a results.json of this version of atcav: {}", error.what());
  }
}

}  // namespace atcav::report
