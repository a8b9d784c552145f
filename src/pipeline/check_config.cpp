#include "pipeline/check_config.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "core/check.h"

namespace atcav {
namespace {

void check_numbers(const Config& config) {
  constexpr Index kMostPixels = 65'535;  // of a side; a JPEG file has no more
  constexpr Index kMostInputs = 1'000'000;
  if (config.resize) check_within("run", "resize", *config.resize, 1, kMostPixels);
  if (config.crop) check_within("run", "crop", *config.crop, 1, kMostPixels);
  if (config.scale && !(std::abs(*config.scale) > 0 && std::isfinite(*config.scale)))
    fail_argument("run", fmt::format("scale is {}, must be a number other than 0", *config.scale));
  for (const double value : config.mean) check_finite("run", "mean", value);
  for (const double value : config.std) check_positive("run", "std", value);
  double values = 1;
  for (const Index size : config.shape) {
    check_at_least("run", "shape", size, 1);
    values *= static_cast<double>(size);
  }
  constexpr double kMostValues = 2147483647;
  if (values > kMostValues)
    fail_argument("run", fmt::format("shape has {:.3g} values, must be at most {:.0f}", values, kMostValues));
  if (config.batch) check_within("run", "batch", *config.batch, 1, kMostInputs);
  if (config.intervene) check_within("run", "intervene", *config.intervene, 1, kMostInputs);
  check_positive("run", "cache-gb", config.cache_gb);
}

void check_given(const Config& config) {
  const auto refuse = [](bool there, const char* option) {
    if (there)
      fail_argument(
          "cavs",
          fmt::format("--{} cannot be combined with --cavs: the directions are there already", option));
  };
  refuse(!config.concepts.empty(), "concept");
  refuse(!config.random.empty(), "random");
  refuse(!config.relative.empty(), "relative");
  refuse(!config.save_cavs.empty(), "save-cavs");
}

void check_intervention(const Config& config, bool directions) {
  if (config.intervene && config.no_intervene)
    fail_argument("run", "--intervene and --no-intervene exclude each other");
  if (config.intervene && !directions && !stats::is_mean_difference(config.options.cav.method)) {
    fail_argument("run", fmt::format("intervene needs cav pattern or fast, not {}; save its directions with "
                                     "--save-cavs and give them with --cavs",
                                     stats::name(config.options.cav.method)));
  }
}

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

void check_config(const Config& config, bool has_directions) {
  check_numbers(config);
  if (has_directions) check_given(config);
  check_intervention(config, has_directions);
}

void check_names(const LayerNames& names) {
  check_at_least("names", "number of classes", std::ssize(names.classes), 1);
  check_at_least("names", "number of concepts", std::ssize(names.concepts), 1);
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
