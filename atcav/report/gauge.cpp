#include "atcav/report/gauge.h"

#include <fmt/format.h>

namespace atcav::report {

std::string gauge_html(double score, const stats::Interval& interval) {
  return fmt::format(
      R"(<span class="gauge" style="--at:{:.4f};--low:{:.4f};--high:{:.4f}" aria-hidden="true"><i></i><b></b></span>)",
      score, interval.low, interval.high);
}

}  // namespace atcav::report
