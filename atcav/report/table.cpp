#include "atcav/report/table.h"

#include <fmt/format.h>

#include "atcav/report/columns.h"
#include "atcav/report/escape.h"

namespace atcav::report {
namespace {

using Result;

std::string p_value(double p) { return p < 0.001 ? "<.001" : fmt::format("{:.3f}", p); }

std::string with_interval(double value, const stats::Interval& interval) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", value, interval.low, interval.high);
}

Tone tone_of(const Result& result, double level) {
  if (result.significance.bonferroni >= 1 - level) return Tone::kPlain;
  return result.alpha_tcav.at(result.headline) > 0.5 ? Tone::kPositive : Tone::kNegative;
}

std::string place(const Result& result) {
  return printable(result.layer.empty() ? result.class_name
                                        : fmt::format("{} @ {}", result.class_name, result.layer));
}

std::vector<std::string> cells(const Result& result) {
  return {shortened(printable(result.concept_name), 14),
          shortened(place(result), 16),
          with_interval(result.alpha_tcav.at(result.headline), result.intervals.at(result.headline).interval),
          fmt::format("{:.2f}", result.empirical_bayes),
          fmt::format("{:.2f} [{:.2f}, {:.2f}]", result.tcav, result.intervals.at("tcav").interval.low,
                      result.intervals.at("tcav").interval.high),
          fmt::format("{:.2f}", result.accuracy.held_out),
          p_value(result.significance.bonferroni),
          result.warnings.empty() ? "" : fmt::format("{}", result.warnings.size())};
}

}  // namespace

std::string results_table(const std::vector<Result>& results, const TableOptions& options) {
  if (results.empty()) return "no results\n";
  const std::string& score = results.front().headline;
  std::vector<std::vector<std::string>> rows = {
      {"concept", "class", fmt::format("α-TCAV ({}) [{:g} %]", score, 100 * options.level), "post.",
       "TCAV [boot.]", "acc.", "p corr.", "!"}};
  for (const Result& result : results) rows.push_back(cells(result));
  std::string text;
  const std::vector<std::string> lines = aligned(rows);
  for (std::size_t r = 0; r < lines.size(); ++r) {
    const Tone tone = r == 0 ? Tone::kHead : tone_of(results[r - 1], options.level);
    text += painted(lines[r], tone, options.colour) + "\n";
  }
  for (const Result& result : results) {
    for (const std::string& warning : result.warnings) {
      text += painted(fmt::format("! {} / {}: {}", printable(result.concept_name), place(result), warning),
                      Tone::kWarning, options.colour) +
              "\n";
    }
  }
  return text;
}

}  // namespace atcav::report
