#include "atcav/run/check_names.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <utility>

#include "atcav/base/check.h"

namespace atcav {
namespace {

template <typename Value>
void check_distinct(const std::vector<Value>& values, const std::string& what,
                    const std::function<std::string(const Value&)>& text) {
  std::set<std::string> seen;
  for (const Value& value : values) {
    if (!seen.insert(text(value)).second)
      fail_argument("names", fmt::format("{} '{}' is given twice", what, text(value)));
  }
}

}  // namespace

void check_names(const LayerNames& names) {
  check_at_least("names", "number of classes", static_cast<Index>(names.classes.size()), 1);
  check_at_least("names", "number of concepts", static_cast<Index>(names.concepts.size()), 1);
  check_distinct<LayerNames::Class>(names.classes, "the class", [](const auto& c) { return c.name; });
  check_distinct<std::string>(names.concepts, "the concept", [](const auto& name) { return name; });
  const auto pair_text = [&](const std::pair<Index, Index>& pair) {
    return names.concepts[pair.first] + ":" + names.concepts[pair.second];
  };
  check_distinct<std::pair<Index, Index>>(names.relative, "the relative test", pair_text);
  for (const auto& pair : names.relative) {
    if (pair.first == pair.second)
      fail_argument("names",
                    fmt::format("relative is '{}', must be two different concepts", pair_text(pair)));
  }
}

void check_different_layers(const std::vector<std::string>& names) {
  check_distinct<std::string>(names, "the layer", [](const auto& name) { return name; });
}

}  // namespace atcav
