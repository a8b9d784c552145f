#pragma once

#include "atcav/result.h"
#include "report/json_fields.h"

// In results.json: what several parts have, and what networks answered.
namespace atcav::report {

void describe_p(auto& json, auto& test) {
  json("p", test.p);
  json("bonferroni", test.bonferroni);
  json("benjamini_hochberg", test.benjamini_hochberg);
}

void describe(auto& json, stats::Interval& interval) { json.ends(interval); }

void describe(auto& json, MeanAndSd& part) {
  json("mean", part.mean);
  json("sd", part.sd);
}

// What single and joint erasures have in front, and behind their tests.
void describe_change(auto& json, Erasure& erasure) {
  json("inputs", erasure.inputs);
  json("eraser", erasure.eraser);
  json("change", erasure.change);
  json.ends(erasure.interval);
}
void describe_ranks(auto& json, Erasure& erasure) {
  json("rank", erasure.rank);
  json("top1_before", erasure.top1_before);
  json("top1_after", erasure.top1_after);
}

void describe(auto& json, LogitDifference& logits) {
  json("difference", logits.difference);
  json.ends(logits.interval);
  json("p", logits.p);
  json("random_sd", logits.random_sd);
  json("n_concept", logits.n_concept);
  json("n_random", logits.n_random);
}

void describe(auto& json, DoseResponse& response) {
  json("inputs", response.inputs);
  json.only_written("dose", kDoses);
  json("odd", response.odd);
  json("low", response.low, -HUGE_VAL);
  json("high", response.high);
  describe_p(json, response);
  json.within("error", [&](auto& error) {
    error("inputs", response.error_inputs);
    error("examples", response.error_examples);
  });
  json("even", response.even);
  json("even_low", response.even_low, -HUGE_VAL);
  json("even_high", response.even_high);
  json("rank", response.rank);
}

void describe(auto& json, Intervention& intervention) {
  json("class", intervention.of_class);
  json.if_any("random", intervention.random);
  json("classes", intervention.classes);
  json("ratio", intervention.ratio);
}

void describe(auto& json, Erasure& erasure) {
  describe_change(json, erasure);
  describe_p(json, erasure);
  json.within("error", [&](auto& error) {
    error("inputs", erasure.error_inputs);
    error("examples", erasure.error_examples);
  });
  describe_ranks(json, erasure);
  json("share", erasure.share);
  json.if_any("control", erasure.control);
}

void describe(auto& json, RegionAtInputs& inputs) {
  json("inside", inputs.inside);
  json.ends(inputs.inside_interval, "inside_low", "inside_high");
  json("logits", inputs.logits);
  json.ends(inputs.interval);
  describe_p(json, inputs);
  json("sensitivities", inputs.sensitivities);
}

void describe(auto& json, Region& region) {
  json("width", region.width);
  json("held_out", region.held_out);
  json.ends(region.interval);
  json("auc", region.auc);
  json.ends(region.auc_interval, "auc_low", "auc_high");
  json("gain", region.gain);
  json.ends(region.gain_interval, "gain_low", "gain_high");
  json.if_any("inputs", region.inputs);
}

}  // namespace atcav::report
