#include "report/json_text.h"

#include <nlohmann/json.hpp>
#include <string>

#include "atcav/report.h"
#include "atcav/version.h"
#include "core/check.h"
#include "report/document.h"
#include "report/explained.h"
#include "report/json_parts.h"

namespace atcav::report {
namespace {

Json entanglement_json(const Entanglement& entanglement) {
  Json cosines = Json::array();
  for (const auto& row : entanglement.cosines.rowwise())
    cosines.push_back(std::vector<double>(row.begin(), row.end()));
  return {{"layer", entanglement.layer}, {"concepts", entanglement.concepts}, {"cosines", cosines}};
}

Json together_json(const JointErasure& together) {
  const Erasure& erasure = together.erasure;
  return {{"layer", together.layer},
          {"class", together.class_name},
          {"concepts", together.concepts},
          {"inputs", erasure.inputs},
          {"eraser", erasure.eraser},
          {"change", erasure.change},
          {"low", number_json(erasure.interval.low)},
          {"high", number_json(erasure.interval.high)},
          {"rank", erasure.rank},
          {"top1_before", optional_json(erasure.top1_before)},
          {"top1_after", optional_json(erasure.top1_after)}};
}

Json speaks_for_json(const SpeaksFor& speaks) {
  const auto list = [](const std::vector<SpeaksFor::Class>& classes) {
    Json json = Json::array();
    for (const SpeaksFor::Class& one : classes)
      json.push_back({{"class", one.index}, {"name", one.name}, {"odd", one.odd}});
    return json;
  };
  return {{"concept", speaks.concept_name},
          {"layer", speaks.layer},
          {"most", list(speaks.most)},
          {"least", list(speaks.least)}};
}

// Names and paths are the user's bytes: what is not UTF-8 is replaced rather than refused.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// All but the results, whose list is empty.
Json run_document(const RunResult& result) {
  Json json = {{"atcav", kVersion},
               {"command", result.command},
               {"seed", result.options.seed},
               {"libraries", result.libraries},
               {"options", options_document(result.options)}};
  if (!result.setup.empty()) json["config"] = result.setup;
  if (!result.notes.empty()) json["notes"] = result.notes;
  if (result.reading) json["reading"] = reading_json(*result.reading);
  json["inputs"] = Json::array();
  for (const Input& input : result.inputs) {
    json["inputs"].push_back({{"role", role_text(input.role)},
                              {"path", input.path},
                              {"sha256", input.sha256},
                              {"shape", input.shape}});
  }
  json["results"] = Json::array();
  for (const SpeaksFor& one : result.speaks_for) json["speaks_for"].push_back(speaks_for_json(one));
  for (const JointErasure& one : result.erased_together)
    json["erased_together"].push_back(together_json(one));
  for (const Explained& one : result.explained) json["explained"].push_back(explained_json(one));
  json["entanglement"] = Json::array();
  for (const Entanglement& layer : result.entanglement)
    json["entanglement"].push_back(entanglement_json(layer));
  return json;
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

}  // namespace

void write_results_json(const RunResult& result, const TextSink& sink) {
  const std::string around = text_of(run_document(result), 1);
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

}  // namespace atcav::report
