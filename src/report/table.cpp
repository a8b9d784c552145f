#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "atcav/report.h"
#include "pipeline/verdict.h"
#include "report/escape.h"
#include "report/stability.h"
#include "report/text_table.h"
#include "report/words.h"

namespace atcav::report {
namespace {

// Names are not shortened below this before columns are left out.
constexpr std::size_t kName = 14;

Tone tone_of(const Result& result, double level) {
  const Use use = verdict_of(result, level).use;
  return use == Use::kFor ? Tone::kPositive : use == Use::kAgainst ? Tone::kNegative : Tone::kPlain;
}

std::string plain(double value) {
  return std::abs(value) < 100 ? fmt::format("{:+.2f}", value) : fmt::format("{:+.3g}", value);
}

std::string plain(std::optional<double> value, const stats::Interval& interval) {
  if (!value) return "undefined";
  if (!std::isfinite(interval.low)) return plain(*value);
  return fmt::format("{} [{}, {}]", plain(*value), plain(interval.low), plain(interval.high));
}

using Rows = std::vector<std::vector<std::string>>;

std::string short_p(double p) { return p < 0.001 ? "<.001" : fmt::format("{:.3f}", p); }

// `joint`: with the columns of labels whose others are held fixed.
std::vector<std::string> cells(const Result& result, bool joint) {
  const std::string place =
      result.layer.empty() ? result.class_name : fmt::format("{} @ {}", result.class_name, result.layer);
  const stats::Interval& tcav = result.intervals.at("tcav").interval;
  const std::string warnings = result.warnings.empty() ? "" : std::to_string(result.warnings.size());
  std::vector<std::string> row = {printable(result.concept_name), printable(place)};
  if (const auto& examples = result.examples) {
    row.insert(row.end(), {plain(result.effect.d, result.effect.d_interval), plain(result.effect.logits),
                           short_p(result.corrected_p())});
    if (joint) {
      const JointEffect* own = result.joint ? &*result.joint : nullptr;
      row.push_back(own != nullptr ? plain(own->effect.d, own->effect.d_interval) : "");
      row.push_back(own != nullptr ? short_p(own->bonferroni) : "");
    }
    row.insert(row.end(), {fmt::format("{:.2f}", result.score()), fmt::format("{:.2f}", result.tcav),
                           result.label ? "" : fmt::format("{:.2f}", examples->accuracy.held_out), warnings});
  } else {
    row.insert(row.end(), {plain(result.effect.logits, result.effect.interval), short_p(result.corrected_p()),
                           fmt::format("{:.3f}", result.score()),
                           fmt::format("{:.2f} [{:.2f}, {:.2f}]", result.tcav, tcav.low, tcav.high),
                           std::to_string(result.n_class), warnings});
  }
  return row;
}

std::vector<std::string> column(const Rows& rows, std::size_t index) {
  std::vector<std::string> texts;
  for (const auto& row : rows) texts.push_back(row[index]);
  return texts;
}

std::size_t column_width(const Rows& rows, std::size_t index) {
  std::size_t most = 0;
  for (const auto& row : rows) most = std::max(most, width(row[index]));
  return most;
}

std::size_t table_width(const Rows& rows) {
  std::size_t total = 0;
  for (std::size_t c = 0; c < rows.front().size(); ++c) total += column_width(rows, c) + (c == 0 ? 0 : 2);
  return total;
}

// Both columns of names, each in half of what the others leave or in what the shorter one does not need.
void shorten_names(Rows& rows, std::size_t most) {
  const std::size_t total = table_width(rows);
  if (total <= most) return;
  const std::size_t first = column_width(rows, 0);
  const std::size_t second = column_width(rows, 1);
  const std::size_t others = total - first - second;
  const std::size_t room = std::max(most > others ? most - others : 0, 2 * kName);
  const std::size_t half = room / 2;
  const std::size_t share = first <= half ? first : second <= half ? room - second : half;
  const std::vector<std::string> names = shortened(column(rows, 0), share);
  const std::vector<std::string> places = shortened(column(rows, 1), room - share);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r][0] = names[r];
    rows[r][1] = places[r];
  }
}

// Names of the columns that were left out.
std::vector<std::string> fit(Rows& rows, std::size_t most) {
  std::vector<std::string> left_out;
  shorten_names(rows, most);
  for (const char* name : {"TCAV", "logits", "α-TCAV", "acc."}) {
    if (table_width(rows) <= most) break;
    const auto& head = rows.front();
    const auto at = std::ranges::find(head, name) - head.begin();
    if (at == static_cast<std::ptrdiff_t>(head.size())) continue;
    for (auto& row : rows) row.erase(row.begin() + at);
    left_out.emplace_back(name);
  }
  return left_out;
}

// Results to show, in their order: those that tell most where there are too many to read.
std::vector<const Result*> shown_results(const std::vector<Result>& results) {
  constexpr std::size_t kMostShown = 200;
  std::vector<const Result*> shown;
  shown.reserve(results.size());
  for (const Result& one : results) shown.push_back(&one);
  if (shown.size() <= kMostShown) return shown;
  const auto telling = [](const Result* a, const Result* b) {
    return std::pair(a->corrected_p(), -std::abs(a->signed_size())) <
           std::pair(b->corrected_p(), -std::abs(b->signed_size()));
  };
  std::ranges::nth_element(shown, shown.begin() + kMostShown, telling);
  shown.resize(kMostShown);
  std::ranges::sort(shown);
  return shown;
}

// What the network did, result by result.
std::vector<std::string> verdicts(const std::vector<Result>& results, double level) {
  constexpr std::size_t kMost = 12;
  const bool several = layers_of(results).size() > 1;
  std::vector<std::string> lines;
  std::size_t left_out = 0;
  for (const Result& one : results) {
    if (!one.intervention) continue;
    if (lines.size() < kMost)
      lines.push_back(fmt::format("{}{}: {}", one.concept_name, several ? " @ " + one.layer : "",
                                  judge(one, level).text));
    else
      ++left_out;
  }
  if (left_out > 0) lines.push_back(fmt::format("({} more verdicts are in the report)", left_out));
  return lines;
}

// Concepts as regions, and how much concepts explain, by class and layer.
std::vector<std::string> layer_lines(const RunResult& result) {
  constexpr std::size_t kMost = 6;
  const bool several = layers_of(result.results).size() > 1;
  std::vector<std::string> lines;
  std::set<std::pair<std::string, std::string>> told;  // regions are the same for all classes
  for (const Result& one : result.results) {
    if (one.region && told.size() < kMost && told.emplace(one.concept_name, one.layer).second)
      lines.push_back(region_words(one, several));
  }
  for (const Explained& one : std::span(result.explained).first(std::min(result.explained.size(), kMost)))
    lines.push_back(explained_words(one, several));
  if (result.explained.size() > kMost)
    lines.push_back(fmt::format("({} more shares are in the report)", result.explained.size() - kMost));
  return lines;
}

// The table of layers, as far as it is of any width.
void add_stability(std::string& text, const std::vector<Result>& results, std::size_t most) {
  const Rows rows = stability_table(results);
  if (rows.empty() || table_width(rows) > most) return;
  text += "\nstability: expected cosine with the direction of as many new examples\n";
  for (const std::string& line : aligned(rows)) text += printable(line) + "\n";
}

}  // namespace

std::string results_table(const RunResult& result, const TableOptions& options) {
  if (result.results.empty()) return "no results\n";
  const std::size_t most = std::max<std::size_t>(options.width, 40);
  const double level = result.options.level;
  const bool examples = have_examples(result.results);
  const std::string percent = fmt::format("[{:g} %]", 100 * level);
  Rows rows = {{"direction", "class", "logits " + percent, "p corr.", "α-TCAV", "TCAV", "inputs", "!"}};
  if (examples)
    rows = {{"concept", "class", "effect d " + percent, "logits", "p corr.", "α-TCAV", "TCAV", "acc.", "!"}};
  const auto has_joint = [](const Result& one) { return one.joint.has_value(); };
  const bool joint = std::ranges::any_of(result.results, has_joint);
  if (joint) rows.front().insert(rows.front().begin() + 5, {"others fixed d", "p corr."});
  const std::vector<const Result*> shown = shown_results(result.results);
  for (const Result* one : shown) rows.push_back(cells(*one, joint));
  const std::vector<std::string> left_out = fit(rows, most);
  std::string text;
  const auto add = [&](const std::string& line, Tone tone) {
    text += painted(line, tone, options.colour) + "\n";
  };
  const std::vector<std::string> lines = aligned(rows);
  for (std::size_t r = 0; r < lines.size(); ++r)
    add(lines[r], r == 0 ? Tone::kHead : tone_of(*shown[r - 1], level));
  const auto add_sentence = [&](const std::string& sentence, Tone tone = Tone::kWarning) {
    for (const std::string& line : wrapped(printable(sentence), most)) add(line, tone);
  };
  if (shown.size() < result.results.size())
    add_sentence(fmt::format("{} of {} results, those with the smallest p; the report has all", shown.size(),
                             result.results.size()),
                 Tone::kPlain);
  if (!left_out.empty())
    add_sentence(fmt::format("not shown in {} columns: {}", most, fmt::join(left_out, ", ")), Tone::kPlain);
  add_stability(text, result.results, most);
  for (const std::string& line : network_lines(result.results)) add_sentence(line, Tone::kPlain);
  for (const WarningGroup& group : warning_groups(result.results)) {
    const std::string example = group.equal ? "" : fmt::format(", for example {}", group.first);
    add_sentence(fmt::format("! {}{}: {}", group.places, example, group.text));
  }
  for (const std::string& note : result.notes) add_sentence("note: " + note);
  for (const std::string& line : verdicts(result.results, level)) add_sentence(line, Tone::kPlain);
  for (const std::string& line : layer_lines(result)) add_sentence(line, Tone::kPlain);
  if (!examples) text += "Intervals hold the error from having drawn these inputs, and no other.\n";
  return text;
}

}  // namespace atcav::report
