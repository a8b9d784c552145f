#pragma once

#include <map>
#include <string>

#include "atcav/options.h"
#include "atcav/result.h"
#include "atcav/score.h"

// What every result with examples has, however its direction was made: a concept against random examples
// (score_concept.h) or a label of a pool (score_label.h).
namespace atcav {

// By name: "1", "3", "star", "dagger" and what was asked for.
using Rules = std::map<std::string, stats::ScoreRule>;
Rules score_rules(const Options& options, Index runs, const Vector& errors);

// A steep sigmoid is nearly a step, whose slope says little about its noise.
bool is_steep(const stats::ScoreRule& rule);

// What the sensitivities alone say.
Result sensitivity_scores(const Vector& s, const Rules& rules, const std::string& headline);

// What they say with the error of each: α* and α†, posteriors.
FromExamples example_scores(const Vector& s, const Vector& errors, Index n_concept, Index n_random,
                            const Options& options, Index runs);

}  // namespace atcav
