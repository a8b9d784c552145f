#include "atcav/report/table.h"

#include <fmt/format.h>

#include "atcav/report/escape.h"
#include "atcav/report/text_table.h"
#include "atcav/report/words.h"

namespace atcav::report {
namespace {

constexpr std::size_t kColumns = 100;

Tone tone_of(const Result& result, double level) {
  const Use use = verdict_of(result, level).use;
  return use == Use::kFor ? Tone::kPositive : use == Use::kAgainst ? Tone::kNegative : Tone::kPlain;
}

std::vector<std::string> cells(const Result& result) {
  const std::string place =
      result.layer.empty() ? result.class_name : fmt::format("{} @ {}", result.class_name, result.layer);
  const std::size_t most = result.examples ? 14 : 20;
  const stats::Interval& score = result.interval();
  const stats::Interval& tcav = result.intervals.at("tcav").interval;
  const std::string warnings = result.warnings.empty() ? "" : std::to_string(result.warnings.size());
  std::vector<std::string> row = {
      shortened(printable(result.concept_name), most), shortened(printable(place), most),
      fmt::format("{:.3f} [{:.3f}, {:.3f}]", result.score(), score.low, score.high),
      fmt::format("{:.2f} [{:.2f}, {:.2f}]", result.tcav, tcav.low, tcav.high)};
  if (const auto& examples = result.examples) {
    const double p = examples->significance.bonferroni;
    row.insert(row.begin() + 3, fmt::format("{:.2f}", examples->empirical_bayes));
    row.insert(row.end(), {fmt::format("{:.2f}", examples->accuracy.held_out),
                           p < 0.001 ? "<.001" : fmt::format("{:.3f}", p), warnings});
  } else {
    row.insert(row.end(), {std::to_string(result.n_class), warnings});
  }
  return row;
}

}  // namespace

std::string results_table(const RunResult& result, const TableOptions& options) {
  if (result.results.empty()) return "no results\n";
  const double level = result.options.level;
  const bool examples = have_examples(result.results);
  const std::string score =
      fmt::format("α-TCAV ({}) [{:g} %]", shortened(result.results.front().headline, 6), 100 * level);
  std::vector<std::vector<std::string>> rows = {{"direction", "class", score, "TCAV", "inputs", "!"}};
  if (examples) rows = {{"concept", "class", score, "post.", "TCAV [boot.]", "acc.", "p corr.", "!"}};
  for (const Result& one : result.results) rows.push_back(cells(one));
  std::string text;
  const auto add = [&](const std::string& line, Tone tone) {
    text += painted(line, tone, options.colour) + "\n";
  };
  const std::vector<std::string> lines = aligned(rows);
  for (std::size_t r = 0; r < lines.size(); ++r)
    add(lines[r], r == 0 ? Tone::kHead : tone_of(result.results[r - 1], level));
  const auto add_sentence = [&](const std::string& sentence, Tone tone = Tone::kWarning) {
    for (const std::string& line : wrapped(printable(sentence), kColumns)) add(line, tone);
  };
  for (const std::string& line : network_lines(result.results)) add_sentence(line, Tone::kPlain);
  for (const Warning& warning : warnings_of(result.results))
    add_sentence(fmt::format("! {}: {}", warning.places, warning.text));
  for (const std::string& note : result.notes) add_sentence("note: " + note);
  if (!examples) text += "Intervals hold the error from having drawn these inputs, and no other.\n";
  return text;
}

}  // namespace atcav::report
