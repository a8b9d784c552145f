#pragma once

#include <string>
#include <vector>

#include "apps/paper/paper_json.h"

namespace atcav::report {

// The reproduction as one page that needs nothing else: figures drawn by Chart.js with a table behind each,
// claims beside the paper's numbers. Same style and library as the report of a run.
std::string paper_html(const std::vector<paper::Section>& sections, const PaperSetup& setup);

}  // namespace atcav::report
