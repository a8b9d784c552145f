#pragma once

#include <string>
#include <utility>
#include <vector>

#include "atcav/run/score.h"
#include "atcav/report/thumbnail.h"

// report.html: the results as one page that needs nothing else. No file, font or script is fetched (the
// page forbids it to itself with a content security policy), and the same inputs give the same bytes.
//
//   Extras extras{.command_line = "atcav score …"};
//   std::string page = results_html("score", scored, extras);
//
// Sentences, table, cosines, warnings and how to reproduce are plain HTML and need no script. The script
// adds the slider for α, which recomputes each score from the sensitivities in the page as
// stats::alpha_tcav does, the sorting and the charts. docs/report.md says how to read it.
namespace atcav::report {

struct Extras {
  std::string command_line = {};  // as to be typed again; may be empty
  Thumbnails thumbnails = {};     // of class inputs; classes may be missing
};

// `command` as for results_json. Throws std::invalid_argument for a thumbnail that is not data:image/… (it
// would be fetched) and when a class has another number of thumbnails than inputs.
std::string results_html(const std::string& command, const RunResult& scored, const Extras& extras);

}  // namespace atcav::report
