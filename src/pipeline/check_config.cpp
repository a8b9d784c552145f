#include "pipeline/check_config.h"

#include <fmt/format.h>

#include <algorithm>
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
  if (directions && (config.eraser || config.erase_together))
    fail_argument("run", "what concepts are erased by comes from examples; --cavs has none");
  if (config.no_erase && (config.eraser || config.erase_together))
    fail_argument("run", "--no-erase excludes --eraser and --erase-together");
  if (config.eraser == EraserChoice::kRidge && config.options.moments_only)
    fail_argument("run", "--eraser ridge needs the examples' rows, which --moments forgets");
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

void check_pool(const Config& config) {
  const bool pool = !config.pool_examples.empty();
  if (!pool && !config.labels.empty()) {
    fail_argument("labels",
                  fmt::format("--labels {} needs a --pool of examples; names of the logits are --class-names",
                              config.labels));
  }
  if (!pool) return;
  if (config.labels.empty()) {
    fail_argument(
        "labels",
        fmt::format("--pool is '{}', must be a word of --pooling, or examples whose concepts --labels has",
                    config.pool_examples));
  }
  if (!config.cavs.empty())
    fail_argument("labels", "--pool cannot be combined with --cavs: given directions have no labels");
  check_labelled(config, !config.random.empty(), !config.concepts.empty());
}

void check_labelled(const Config& config, bool has_random, bool has_concepts) {
  if (config.options.cav.method != stats::CavMethod::kPattern) {
    fail_argument(
        "labels",
        fmt::format("cav is {}, must be pattern with a pool: a label's direction is a regression on "
                    "all labels",
                    stats::name(config.options.cav.method)));
  }
  if (config.options.moments_only)
    fail_argument("labels", "--moments cannot be combined with a pool: labels need every row's numbers");
  if (has_random != has_concepts)
    fail_argument("labels", "beside a pool, concepts need random examples, and random examples concepts");
}

void check_groups(const Config& config, bool has_directions) {
  if (!config.group_column.empty() && config.labels.empty())
    fail_argument("groups", "--group-column names a column of --labels, which are not given");
  if (config.group_by.empty() && config.group_column.empty() && config.class_groups.empty()) return;
  if (has_directions)
    fail_argument("groups",
                  "groups cannot be combined with --cavs: given directions have no errors from examples");
  if (!stats::is_mean_difference(config.options.cav.method)) {
    fail_argument("groups", fmt::format("cav is {}, must be pattern or fast with groups",
                                        stats::name(config.options.cav.method)));
  }
  if (config.options.moments_only)
    fail_argument("groups", "--moments cannot be combined with groups: they need every row's numbers");
  check_distinct<ExampleSet>(config.class_groups, "--class-groups for class",
                             [](const ExampleSet& set) { return set.name; });
  for (const ExampleSet& set : config.class_groups) {
    const auto is_it = [&](const auto& one) { return set.name.empty() || one.name == set.name; };
    const auto has_it = [&](const ExampleSet& one) {
      return is_it(one) ||
             (one.name.empty() && set.name == "class");  // what a class without a name is called
    };
    if (std::ranges::none_of(config.classes, is_it) && std::ranges::none_of(config.gradients, has_it))
      fail_argument("groups", fmt::format("--class-groups names unknown class '{}'", set.name));
  }
}

void check_pairs(const Config& config) {
  if (!config.options.pairs) return;
  const auto refuse = [](bool there, const char* what) {
    if (there) fail_argument("pairs", fmt::format("--pairs cannot be combined with {}", what));
  };
  refuse(!config.cavs.empty(), "--cavs: given directions have no examples");
  refuse(!config.pool_examples.empty(), "--pool, whose rows are labelled one by one");
  refuse(!config.group_by.empty() || !config.class_groups.empty(), "groups of rows");
  refuse(config.skip_bad, "--skip-bad, which would leave rows without their partner");
}

void check_pairs(const LayerNames& names, const std::vector<Index>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] == rows.front()) continue;
    fail_argument("pairs",
                  fmt::format("concept '{}' has {} examples and random has {}, must be equally many with "
                              "--pairs: row i of both belongs together",
                              names.concepts[i - 1], rows[i], rows.front()));
  }
}

void check_influences(const Config& config, bool has_directions) {
  if (!config.influences) return;
  if (has_directions)
    fail_argument("influences",
                  "--influences cannot be combined with --cavs: given directions have no examples");
  if (!stats::is_mean_difference(config.options.cav.method)) {
    fail_argument("influences",
                  fmt::format("cav is {}, must be pattern or fast with influences: a fit is not a "
                              "sum over examples",
                              stats::name(config.options.cav.method)));
  }
  if (config.options.moments_only)
    fail_argument("influences",
                  "--moments cannot be combined with --influences: they need every row's numbers");
}

void check_reading(const Config& config, bool has_directions) {
  if (config.options.reads_all()) return;
  const char* option = config.options.until ? "until" : "budget";
  const auto refuse = [option](bool there, const char* what) {
    if (there) fail_argument("run", fmt::format("--{} cannot be combined with {}", option, what));
  };
  refuse(has_directions, "--cavs: given directions have no examples");
  refuse(!config.pool_examples.empty() && config.concepts.empty(),
         "a --pool without concepts: a pool is read whole");
  refuse(!config.group_by.empty() || !config.group_column.empty() || !config.class_groups.empty(),
         "groups of rows");
  refuse(config.options.moments_only, "--moments: rows are looked at more than once");
}

void check_config(const Config& config, bool has_directions) {
  check_numbers(config);
  check_pairs(config);
  check_pool(config);
  check_groups(config, has_directions);
  check_influences(config, has_directions);
  check_reading(config, has_directions);
  if (has_directions) check_given(config);
  check_intervention(config, has_directions);
}

void check_names(const LayerNames& names, bool has_labels) {
  check_at_least("names", "number of classes", std::ssize(names.classes), 1);
  if (!has_labels) check_at_least("names", "number of concepts", std::ssize(names.concepts), 1);
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

std::vector<std::pair<Index, Index>> relative_positions(const Config& config) {
  const auto position = [&](const std::string& name) {
    const auto at = std::find_if(config.concepts.begin(), config.concepts.end(),
                                 [&](const ExampleSet& set) { return set.name == name; });
    if (at == config.concepts.end()) fail_argument("relative", fmt::format("there is no concept '{}'", name));
    return static_cast<Index>(at - config.concepts.begin());
  };
  std::vector<std::pair<Index, Index>> found;
  for (const ConceptPair& pair : config.relative)
    found.emplace_back(position(pair.first), position(pair.second));
  return found;
}

}  // namespace atcav
