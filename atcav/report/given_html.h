#pragma once

#include <string>

#include "atcav/run/score.h"
#include "atcav/report/html.h"

namespace atcav::report {

// Scores of given directions (scored.given, at least one) as one page that needs nothing else and has no
// script: a sentence and a gauge for each, the table with the score over α, the extreme inputs, cosines,
// warnings, how to reproduce. Style and promises of results_html; the same errors for thumbnails.
std::string given_html(const RunResult& scored, const Extras& extras);

}  // namespace atcav::report
