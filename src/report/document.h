#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/html.h"

// JSON before it is text, for this component alone.
namespace atcav::report {

// The options that a number depends on, as results.json has them: recorded entries of the option table in its
// order, dashes in keys as underscores.
nlohmann::ordered_json options_document(const Options& options);

// Cells of a map as bytes from −127 to 127 in base64, behind what 127 stands for in this unit.
nlohmann::ordered_json cells_json(const std::vector<double>& values, double unit);

// What the page's scripts work on. Numbers have five digits at most, and what would grow with the inputs is
// summed up in histograms, so that it stays small:
//
//   level, headline, grid (the profile's α), thumbnails {class: {input: {name, uri}}}, examples {concept:
//   {example: {name, uri}}}, random [{name, uri}], names, columns, details
//
// Columns hold every result: concept, class, layer and use as places in the lists of names; effect
// (null where d is undefined), score (the headline) and tcav, each with a column _low and _high; warnings and
// inputs (how many); with examples logits, p (corrected), posterior and accuracy. Details {place of a result:
// …} are there for those that are shown closely:
//
//   scores {key: T}, intervals {key: [low, high]}, profile {score, low, high}, sentence, positive (inputs),
//   sensitivities (histogram of S/γ), most and least ([input, S/γ]), facts {term: text}; with examples alpha
//   {star, dagger}, held_out {threshold, predicted, random, concept, histogram}, wrong_side {count, of,
//   rows}; where random rows are known negatives {chi2, line, strata} of {logits, low, high}; where there are
//   maps: maps {height, width, cell, tokens, sensitivity and concept {input: [peak, cells in base64]}}
//
// The profile of a given direction gets intervals as its scores have: over inputs.
nlohmann::ordered_json page_document(const RunResult& result, const Extras& extras);

}  // namespace atcav::report
