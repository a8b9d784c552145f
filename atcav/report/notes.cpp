#include "atcav/report/notes.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "atcav/report/escape.h"
#include "atcav/report/names.h"

namespace atcav::report {
namespace {

using ByWarning = std::vector<std::pair<std::string, std::vector<std::string>>>;

template <typename Entry>
std::string place(const Entry& result, bool layer) {
  std::string text = result.concept_name + " / " + result.class_name;
  return layer && !result.layer.empty() ? text + " @ " + result.layer : text;
}

// Warnings with the results they are about, in order of first appearance.
template <typename Entry>
void add_warnings(ByWarning& list, const std::vector<Entry>& results) {
  const bool layer = layers_of(results).size() > 1;
  for (const Entry& result : results) {
    for (const std::string& warning : result.warnings) {
      auto known = list.begin();
      while (known != list.end() && known->first != warning) ++known;
      if (known == list.end()) known = list.insert(list.end(), {warning, {}});
      known->second.push_back(place(result, layer));
    }
  }
}

}  // namespace

std::vector<std::string> general_notes(const RunResult& scored) {
  std::vector<std::string> notes = scored.notes;
  const auto tests = static_cast<double>(scored.results.size());
  const double alarm = 1 - scored.options.level;
  const double least = tests / static_cast<double>(scored.options.permutations + 1);
  if (least >= alarm) {
    notes.push_back(fmt::format(
        "{} tests with {} relabellings each: no corrected p can be below {:.2g}, so nothing can be "
        "significant. Ask for --permutations {} or more.",
        scored.results.size(), scored.options.permutations, least, std::ceil(tests / alarm)));
  }
  return notes;
}

std::string warnings_html(const RunResult& scored) {
  std::string items;
  for (const std::string& note : general_notes(scored)) items += "<li>" + escape_html(note) + "</li>\n";
  ByWarning warnings;
  add_warnings(warnings, scored.results);
  add_warnings(warnings, scored.given);
  for (const auto& [warning, places] : warnings) {
    std::string list;
    for (const std::string& where : places) list += (list.empty() ? "" : ", ") + escape_html(where);
    items += "<li><strong>" + list + ":</strong> " + escape_html(warning) + "</li>\n";
  }
  return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

}  // namespace atcav::report
