#include "atcav/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "atcav/report/escape.h"

namespace atcav::report {
namespace {

using experiment::Result;

// Columns a text takes on a terminal: continuation bytes of UTF-8 take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& text, std::size_t most) {
  if (width(text) <= most) return text;
  std::string cut;
  for (const char c : text) {
    const bool starts = (static_cast<std::uint8_t>(c) & 0xC0) != 0x80;
    if (starts && width(cut) == most - 1) break;
    cut += c;
  }
  return cut + "…";
}

std::string p_value(double p) { return p < 0.001 ? "<.001" : fmt::format("{:.3f}", p); }

std::string with_interval(double value, const stats::Interval& interval) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", value, interval.low, interval.high);
}

enum class Tone { kPlain, kHead, kPositive, kNegative, kWarning };

std::string painted(const std::string& text, Tone tone, bool colour) {
  if (!colour || tone == Tone::kPlain) return text;
  const char* code = tone == Tone::kHead       ? "1"
                     : tone == Tone::kPositive ? "32"
                     : tone == Tone::kNegative ? "31"
                                               : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
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
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      line += rows[r][i] + std::string(widths[i] - width(rows[r][i]) + (i + 1 < rows[r].size() ? 2 : 0), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    const Tone tone = r == 0 ? Tone::kHead : tone_of(results[r - 1], options.level);
    text += painted(line, tone, options.colour) + "\n";
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
