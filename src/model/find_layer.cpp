#include "model/find_layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/check.h"
#include "data/file/fail.h"

namespace atcav::model {
namespace {

bool is_pattern(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

// Reached: how much of the text the pattern so far may stand for. Its time is the product of the two lengths.
bool matches(std::string_view pattern, std::string_view text) {
  std::vector<bool> reached(text.size() + 1);
  reached[0] = true;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    const char c = pattern[p];
    if (c == '*') {
      const bool any = pattern.substr(p + 1).starts_with('*');
      for (std::size_t i = 1; i < reached.size(); ++i)
        reached[i] = reached[i] || (reached[i - 1] && (any || text[i - 1] != '.'));
      if (any) ++p;
      continue;
    }
    for (std::size_t i = text.size(); i > 0; --i)
      reached[i] = reached[i - 1] && (c == text[i - 1] || (c == '?' && text[i - 1] != '.'));
    reached[0] = false;
  }
  return reached.back();
}

[[noreturn]] void fail_ambiguous(std::string_view text, const std::vector<const Module*>& candidates) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names;
  for (const Module* module : candidates) {
    if (names.size() < kShown) names.push_back("'" + module->name + "'");
  }
  const std::string more =
      candidates.size() > kShown ? fmt::format(" and {} more", candidates.size() - kShown) : "";
  fail_argument("find_layer", fmt::format("layer '{}' could be {} modules: {}{}", text, candidates.size(),
                                          fmt::join(names, ", "), more));
}

[[noreturn]] void fail_unknown(const Facts& facts, std::string_view text) {
  std::vector<std::string> names;
  for (const Module& module : facts.modules) names.push_back(module.name);
  for (const Layer& layer : facts.layers) names.push_back(layer.name);
  fail_argument("find_layer",
                fmt::format("there is no layer '{}'; closest: {}", text, data::closest_names(text, names)));
}

}  // namespace

std::vector<std::string> modules_in_path(std::string_view path) {
  std::vector<std::string> modules;
  std::string before;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string part(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty()) continue;
    std::string module = modules.empty() ? "" : modules.back();
    const bool repeats = !before.empty() && part.starts_with(before) && part[before.size()] == '.';
    if (!repeats && !module.empty()) module += '.';
    module += repeats ? part.substr(before.size()) : part;
    modules.push_back(std::move(module));
    before = part;
  }
  return modules;
}

FoundLayer find_layer(const Facts& facts, std::string_view text) {
  const std::vector<std::string> modules = modules_in_path(text);
  if (modules.empty()) fail_unknown(facts, text);
  const std::string& name = modules.back();
  const auto found = [&](std::size_t position, const std::string& note = "") {
    return FoundLayer{std::string(text), position, note};
  };
  for (const Module& module : facts.modules) {
    if (module.name == name) return found(module.layer, module.note);
  }
  for (const auto member : {&Layer::name, &Layer::node}) {
    for (std::size_t i = 0; i < facts.layers.size(); ++i) {
      if (facts.layers[i].*member == text) return found(i);
    }
  }
  std::vector<const Module*> candidates;
  for (const Module& module : facts.modules) {
    if (module.name.ends_with("." + name)) candidates.push_back(&module);
  }
  if (candidates.size() > 1) fail_ambiguous(text, candidates);
  if (candidates.empty()) fail_unknown(facts, text);
  return found(candidates.front()->layer, candidates.front()->note);
}

std::vector<FoundLayer> find_layers(const Facts& facts, std::string_view text) {
  if (!is_pattern(text)) return {find_layer(facts, text)};
  std::vector<FoundLayer> found;
  for (const Module& module : facts.modules) {
    if (matches(text, module.name)) found.push_back({module.name, module.layer, module.note});
  }
  const bool by_tensor = found.empty();
  for (std::size_t i = 0; by_tensor && i < facts.layers.size(); ++i) {
    if (matches(text, facts.layers[i].name)) found.push_back({facts.layers[i].name, i, ""});
  }
  if (found.empty()) fail_unknown(facts, text);
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundLayer& a, const FoundLayer& b) { return a.position < b.position; });
  std::set<std::size_t> seen;
  std::erase_if(found, [&](const FoundLayer& layer) { return !seen.insert(layer.position).second; });
  return found;
}

}  // namespace atcav::model
