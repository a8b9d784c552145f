#include "report/json_parts.h"

#include <cmath>

namespace atcav::report {

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

// Of a label with all others held fixed.
Json joint_json(const JointEffect& joint) {
  const stats::Effect& effect = joint.effect;
  Json json = {{"logits", effect.logits},
               {"low", number_json(effect.interval.low)},
               {"high", number_json(effect.interval.high)},
               {"d", effect.d ? Json(*effect.d) : Json()},
               {"d_low", number_json(effect.d_interval.low)},
               {"d_high", number_json(effect.d_interval.high)},
               {"error", {{"examples", effect.error_examples}, {"inputs", effect.error_inputs}}},
               {"df", effect.degrees},
               {"use_p", effect.p},
               {"bonferroni", joint.bonferroni},
               {"benjamini_hochberg", joint.benjamini_hochberg},
               {"inflation", joint.inflation},
               {"rows", joint.rows}};
  if (joint.encoding) {
    json["encoding"] = {{"correlation", joint.encoding->correlation},
                        {"low", joint.encoding->interval.low},
                        {"high", joint.encoding->interval.high},
                        {"rows", joint.encoding->rows}};
  }
  return json;
}

Json negatives_json(const stats::Negatives& negatives) {
  Json line = {
      {"chi2", Json::array()}, {"logits", Json::array()}, {"low", Json::array()}, {"high", Json::array()}};
  for (const stats::Negatives::Point& point : negatives.line) {
    line["chi2"].push_back(point.chi2);
    line["logits"].push_back(point.logits);
    line["low"].push_back(point.interval.low);
    line["high"].push_back(point.interval.high);
  }
  Json strata = Json::array();
  for (const stats::Stratum& one : negatives.strata) {
    strata.push_back({{"name", one.name},
                      {"rows", one.rows},
                      {"logits", one.logits},
                      {"low", one.interval.low},
                      {"high", one.interval.high},
                      {"p", one.p}});
  }
  return {
      {"rows", negatives.rows}, {"chi2", optional_json(negatives.chi2)}, {"line", line}, {"strata", strata}};
}

Json label_json(const LabelFacts& label) {
  return {{"values", label.numbers ? "numbers" : "0/1"}, {"rows", label.rows}, {"sd", label.sd}};
}

Json groups_json(const GroupCounts& groups) {
  Json json = Json::object();
  if (groups.examples) json["examples"] = *groups.examples;
  if (groups.inputs) json["inputs"] = *groups.inputs;
  return json;
}

Json reading_json(const Reading& reading) {
  Json sets = Json::array();
  for (const Reading::Set& set : reading.sets)
    sets.push_back({{"set", set.name}, {"read", set.read}, {"of", set.of}});
  Json json = {{"rule", reading.until ? "width of d" : "budget"}, {"until", optional_json(reading.until)}};
  json["budget"] = reading.budget ? Json(*reading.budget) : Json();
  json["sets"] = std::move(sets);
  if (reading.until) {
    json["reached"] = reading.reached;
    json["beyond_reach"] = reading.beyond_reach;
    json["looks"] = reading.looks;
  }
  return json;
}

Reading reading_in(const Json& json) {
  Reading reading;
  if (!json.at("until").is_null()) reading.until = json["until"].get<double>();
  if (!json.at("budget").is_null()) reading.budget = json["budget"].get<Index>();
  for (const Json& set : json.at("sets"))
    reading.sets.push_back({set.at("set"), set.at("read"), set.at("of")});
  reading.reached = json.value("reached", false);
  reading.beyond_reach = json.value("beyond_reach", Index{0});
  reading.looks = json.value("looks", Index{0});
  return reading;
}

}  // namespace atcav::report
