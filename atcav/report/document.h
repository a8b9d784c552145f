#pragma once

#include <nlohmann/json_fwd.hpp>

#include "atcav/report/html.h"

// JSON before it is text, for this room alone.
namespace atcav::report {

// The options that a number depends on, as results.json has them: recorded entries of the option table in its
// order, dashes in keys as underscores.
nlohmann::ordered_json options_document(const Options& options);

// What the page's script works on. Numbers have five digits at most, and what would grow with the inputs is
// summed up in histograms, so that it stays small:
//
//   level, headline, grid (the profile's α), thumbnails {class: {input: {name, uri}}}, examples {concept:
//   {example: {name, uri}}}, random [{name, uri}], names {concept, class and layer: [...]}, results [...]
//
// A result is a row: numbers of its concept, class and layer among the names; 0, 1 or 2 for for, against,
// none; effect, low, high (null where d is undefined); headline score, low, high; TCAV, low, high; number of warnings; number of inputs,
// or with examples logits, corrected p, posterior, accuracy, low, high. Of those that are shown closely it is
//   {row,
//     concept, class, layer, use, scores {key: T}, intervals {key: [low, high]}, profile {score, low, high},
//     with examples: alpha {star, dagger}, accuracy;
//     sentence, inputs, positive, sensitivities (histogram of S/γ), most and least
//     ([input, S/γ]), facts {term: text}, with examples: held_out {threshold, predicted, random, concept,
//     histogram}, wrong_side {count, of, rows}, where there are maps: maps {height, width, cell, tokens,
//     sensitivity and concept {input: [peak, cells in base64]}}}
//
// The profile of a given direction gets intervals as its scores have: over inputs.
nlohmann::ordered_json page_document(const RunResult& result, const Extras& extras);

}  // namespace atcav::report
