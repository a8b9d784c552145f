#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/paper/experiments.h"

namespace atcav::paper {

// How the reproduction was made.
struct PaperSetup {
  std::string command_line;  // to be typed again
  Index repeats = 0;
  std::uint64_t seed = 0;
};

// The reproduction as one page that needs nothing else: figures drawn by Chart.js with a table behind each,
// claims beside the paper's numbers. Same style and library as the report of a run.
std::string paper_html(const std::vector<Section>& sections, const PaperSetup& setup);

// The files in assets/, compiled in by cmake/EmbedFiles.cmake; style and script come behind those of
// report/assets.h.
namespace assets {
extern const std::string_view page;
extern const std::string_view style;
extern const std::string_view script;
}  // namespace assets

// paper.json: every curve and every claim, those of the paper in a list as well, and the setup. Numbers that
// are not finite are null.
std::string paper_json(const std::vector<Section>& sections, const PaperSetup& setup);

inline constexpr std::string_view kCsvHeader = "curve,x,y,error";

// One figure as CSV: that header, then one line per point, error empty where none is known.
std::string figure_csv(const Figure& figure);

}  // namespace atcav::paper
