#include "atcav/report/given_table.h"

#include <fmt/format.h>

#include "atcav/report/columns.h"
#include "atcav/report/escape.h"

namespace atcav::report {
namespace {

using GivenScore;

std::string place(const GivenScore& given) {
  return printable(fmt::format("{} @ {}", given.class_name, given.layer));
}

std::vector<std::string> cells(const GivenScore& given) {
  const stats::Interval& score = given.intervals.at(given.headline).interval;
  const stats::Interval& tcav = given.intervals.at("tcav").interval;
  return {shortened(printable(given.concept_name), 20),
          shortened(place(given), 24),
          fmt::format("{:.3f} [{:.3f}, {:.3f}]", given.alpha_tcav.at(given.headline), score.low, score.high),
          fmt::format("{:.2f} [{:.2f}, {:.2f}]", given.tcav, tcav.low, tcav.high),
          fmt::format("{}", given.n_class),
          given.warnings.empty() ? "" : fmt::format("{}", given.warnings.size())};
}

Tone tone_of(const GivenScore& given) {
  const stats::Interval& interval = given.intervals.at(given.headline).interval;
  if (interval.low > 0.5) return Tone::kPositive;
  return interval.high < 0.5 ? Tone::kNegative : Tone::kPlain;
}

}  // namespace

std::string given_table(const std::vector<GivenScore>& given, const TableOptions& options) {
  if (given.empty()) return "no results\n";
  std::vector<std::vector<std::string>> rows = {{"direction", "class",
                                                 fmt::format("α-TCAV ({}) [inputs]", given.front().headline),
                                                 "TCAV [inputs]", "inputs", "!"}};
  for (const GivenScore& score : given) rows.push_back(cells(score));
  std::string text;
  const std::vector<std::string> lines = aligned(rows);
  for (std::size_t r = 0; r < lines.size(); ++r)
    text += painted(lines[r], r == 0 ? Tone::kHead : tone_of(given[r - 1]), options.colour) + "\n";
  for (const GivenScore& score : given) {
    for (const std::string& warning : score.warnings) {
      text += painted(fmt::format("! {} / {}: {}", printable(score.concept_name), place(score), warning),
                      Tone::kWarning, options.colour) +
              "\n";
    }
  }
  return text +
         fmt::format("[inputs]: {:g} % interval of the error from having drawn these inputs, no other\n",
                     100 * options.level);
}

}  // namespace atcav::report
