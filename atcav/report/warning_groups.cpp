#include "atcav/report/warning_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <unordered_map>

#include "atcav/report/words.h"

namespace atcav::report {
namespace {

constexpr std::size_t kNamed = 3;

// Without digits, signs and points: what is left is the same for all numbers.
std::string words_of(const std::string& text) {
  std::string words;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '+' && c != '-' && c != '.') words += c;
  }
  return words;
}

std::string places_of(const std::vector<Result>& of, const std::vector<std::string>& places, bool layer) {
  if (places.size() <= kNamed) return fmt::format("{}", fmt::join(places, ", "));
  std::vector<std::string> parts = {listed(concepts_of(of), kNamed, "concepts"),
                                    listed(classes_of(of), kNamed, "classes")};
  if (layer) parts.push_back(listed(layers_of(of), kNamed, "layers"));
  return fmt::format("{} results ({})", places.size(), fmt::join(parts, "; "));
}

}  // namespace

std::vector<WarningGroup> warning_groups(const std::vector<Result>& results) {
  const bool layer = layers_of(results).size() > 1;
  std::vector<WarningGroup> groups;
  std::vector<std::vector<Result>> of;  // names only
  std::vector<std::vector<std::string>> places;
  std::unordered_map<std::string, std::size_t> known;
  for (const Result& result : results) {
    std::string place = fmt::format("{} / {}", result.concept_name, result.class_name);
    if (layer) place += " @ " + result.layer;
    for (const std::string& text : result.warnings) {
      const auto [entry, added] = known.try_emplace(words_of(text), groups.size());
      const std::size_t at = entry->second;
      if (added) {
        groups.push_back({text, true, "", place});
        of.emplace_back();
        places.emplace_back();
      }
      groups[at].equal = groups[at].equal && text == groups[at].text;
      Result& name = of[at].emplace_back();
      name.concept_name = result.concept_name;
      name.class_name = result.class_name;
      name.layer = result.layer;
      places[at].push_back(place);
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].places = places_of(of[i], places[i], layer);
  return groups;
}

}  // namespace atcav::report
