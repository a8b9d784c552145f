#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/paper/paper_json.h"

namespace atcav::paper {

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

}  // namespace atcav::paper
