#include "report/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "report/figures_charts.h"
#include "report/words.h"

namespace atcav::report {
namespace {

using Some = std::vector<const Result*>;

// A name that any file system takes, and that no other figure has.
class FileNames {
 public:
  std::string next(const std::vector<std::string>& parts) {
    std::string name = fmt::format("{}", fmt::join(parts, "-"));
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
    }
    constexpr std::size_t kLongest = 120;
    name.resize(std::min(name.size(), kLongest));
    std::string unique = name;
    for (int number = 2; !taken_.insert(unique).second; ++number) unique = fmt::format("{}-{}", name, number);
    return unique + ".svg";
  }

 private:
  std::set<std::string> taken_;
};

std::vector<std::pair<std::vector<std::string>, Some>> grouped(
    const std::vector<Result>& results, const std::function<std::vector<std::string>(const Result&)>& key) {
  std::vector<std::pair<std::vector<std::string>, Some>> groups;
  std::map<std::vector<std::string>, std::size_t> known;
  for (const Result& result : results) {
    const auto [entry, added] = known.try_emplace(key(result), groups.size());
    if (added) groups.push_back({entry->first, {}});
    groups[entry->second].second.push_back(&result);
  }
  return groups;
}

}  // namespace

Figures make_figures(const RunResult& result, std::size_t most) {
  const double level = result.options.level;
  const bool layers = layers_of(result.results).size() > 1;
  Figures figures;
  FileNames names;
  const auto add = [&](std::vector<std::string> parts, const std::string& layer, const auto& draw) {
    if (figures.list.size() >= most) {
      ++figures.left_out;
      return;
    }
    if (layers && !layer.empty()) parts.insert(parts.begin() + 1, layer);
    figures.list.push_back({names.next(parts), draw()});
  };
  for (const auto& [key, some] :
       grouped(result.results, [](const Result& one) { return std::vector{one.class_name}; }))
    add({"effects", key[0]}, "", [&, &some = some] { return effects_svg(some, level); });
  for (const SpeaksFor& found : result.speaks_for)
    add({"speaks-for", found.concept_name}, found.layer, [&] { return speaks_for_svg(found); });
  const auto place = [](const Result& one) { return std::vector{one.layer, one.concept_name}; };
  for (const auto& [key, some] : grouped(result.results, place)) {
    if (some.front()->intervention)
      add({"dose", key[1]}, key[0], [&, &some = some] { return dose_svg(some, level); });
  }
  for (const Result& one : result.results)
    add({"sensitivity", one.class_name, one.concept_name}, one.layer,
        [&] { return sensitivity_svg(one, level); });
  return figures;
}

}  // namespace atcav::report
