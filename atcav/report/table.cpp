#include "atcav/report/table.h"

#include <fmt/format.h>

#include <cmath>

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

std::string plain(double value) {
  return std::abs(value) < 100 ? fmt::format("{:+.2f}", value) : fmt::format("{:+.3g}", value);
}

std::string plain(double value, const stats::Interval& interval) {
  if (!std::isfinite(interval.low)) return plain(value);
  return fmt::format("{} [{}, {}]", plain(value), plain(interval.low), plain(interval.high));
}

std::vector<std::string> cells(const Result& result) {
  const std::string place =
      result.layer.empty() ? result.class_name : fmt::format("{} @ {}", result.class_name, result.layer);
  const std::size_t most = result.examples ? 14 : 18;
  const stats::Interval& tcav = result.intervals.at("tcav").interval;
  const std::string warnings = result.warnings.empty() ? "" : std::to_string(result.warnings.size());
  std::vector<std::string> row = {shortened(printable(result.concept_name), most),
                                  shortened(printable(place), most)};
  if (const auto& examples = result.examples) {
    const double p = examples->significance.bonferroni;
    row.insert(row.end(), {plain(result.effect.d, result.effect.d_interval), plain(result.effect.logits),
                           p < 0.001 ? "<.001" : fmt::format("{:.3f}", p),
                           fmt::format("{:.2f}", result.score()), fmt::format("{:.2f}", result.tcav),
                           fmt::format("{:.2f}", examples->accuracy.held_out), warnings});
  } else {
    row.insert(row.end(),
               {plain(result.effect.logits, result.effect.interval), fmt::format("{:.3f}", result.score()),
                fmt::format("{:.2f} [{:.2f}, {:.2f}]", result.tcav, tcav.low, tcav.high),
                std::to_string(result.n_class), warnings});
  }
  return row;
}

}  // namespace

std::string results_table(const RunResult& result, const TableOptions& options) {
  if (result.results.empty()) return "no results\n";
  const double level = result.options.level;
  const bool examples = have_examples(result.results);
  const std::string percent = fmt::format("[{:g} %]", 100 * level);
  std::vector<std::vector<std::string>> rows = {
      {"direction", "class", "logits " + percent, "α-TCAV", "TCAV", "inputs", "!"}};
  if (examples)
    rows = {{"concept", "class", "effect d " + percent, "logits", "p corr.", "α-TCAV", "TCAV", "acc.", "!"}};
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
  for (const Result& one : result.results) {
    if (const std::string words = specificity(one); !words.empty() &&
                                                    verdict_of(one, level).use == Use::kFor &&
                                                    one.intervention->random->rank.back() == 1)
      for (const std::string& line : wrapped(printable(words), kColumns)) text += line + "\n";
  }
  if (!examples) text += "Intervals hold the error from having drawn these inputs, and no other.\n";
  return text;
}

}  // namespace atcav::report
