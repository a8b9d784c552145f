#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atcav/result.h"
#include "report/thumbnail.h"

// report.html: the results as one page that needs nothing else. No file, font or script is fetched (the
// page forbids it to itself with a content security policy), and the same inputs give the same bytes.
//
//   Extras extras{.command_line = "atcav score …"};
//   std::string page = results_html(result, extras);
//
// Sentences, table, cosines, warnings and how to reproduce are plain HTML and need no script. The script
// adds what is chosen (concept, class, layer), the slider for α, searching and sorting, the charts, and a
// closer look at each of kDetailed results. Cosines are shown between the first kCosines concepts of a layer.
// docs/report.md says how to read it.
namespace atcav::report {

inline constexpr Index kCosines = 30;

struct Extras {
  std::string command_line = {};       // as to be typed again; may be empty
  std::string results_sha256 = {};     // of the results.json that the page belongs to; may be empty
  Thumbnails thumbnails = {};          // of class inputs; classes may be missing
  Thumbnails examples = {};            // of concepts' examples; concepts may be missing
  std::vector<Thumbnail> random = {};  // of random examples, all that are to be shown
};

// Throws std::invalid_argument without results, for a thumbnail that is not data:image/… (it would be
// fetched) and when a class has another number of thumbnails than inputs.
std::string results_html(const RunResult& result, const Extras& extras);

// What stands around such a page: style sheet, Chart.js, security policy. Of the reproduction of the paper
// too.
struct PageParts {
  std::string title;                      // HTML
  std::string body;                       // HTML
  std::string data;                       // JSON
  std::vector<std::string_view> scripts;  // modules, each in a scope of its own (assets.h)
  std::string_view style = {};            // behind the report's
};
std::string page_html(const PageParts& parts);

}  // namespace atcav::report
