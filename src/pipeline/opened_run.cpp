#include "pipeline/opened_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "comm/comm.h"
#include "core/check.h"
#include "core/memory.h"
#include "data/file/reader.h"
#include "pipeline/analyse.h"
#include "pipeline/check_config.h"
#include "pipeline/directions.h"
#include "pipeline/interventions.h"
#include "pipeline/label_tables.h"
#include "pipeline/row_groups.h"

namespace atcav {
namespace {

LayerNames names_of(const Config& config) {
  LayerNames names;
  for (const ClassSet& set : config.classes) names.classes.push_back({set.name, 0});
  for (const ExampleSet& set : config.concepts) names.concepts.push_back(set.name);
  names.relative = relative_positions(config);
  return names;
}

// The configuration checked, given directions read, the session open.
OpenedRun begin(const Config& config, const Given& given) {
  OpenedRun run;
  run.config = config;
  run.directions = given.directions;
  const bool has_directions = given.directions || !config.cavs.empty();
  check_config(config, has_directions);
  LayerNames names = names_of(config);
  run.about.command = "run";
  run.about.options = checked(config.options);
  if (has_directions) {
    if (!run.directions) run.directions = read_directions(config.cavs, config.layers);
    run.config.layers.clear();
    for (const LayerDirections& layer : run.directions->layers) run.config.layers.push_back(layer.layer);
    names.concepts = {"given"};
  } else if (config.random.empty() && !run.has_pool()) {
    fail_argument("run", "no random examples were given");
  }
  if (config.model.empty() && !given.network) fail_argument("run", "no model was given");
  check_at_least("run", "number of layers", std::ssize(run.config.layers), 1);
  check_names(names, run.has_pool());
  run.session = std::make_shared<Session>(open_session(run.config, given.network));
  return run;
}

void read_labels_of_pool(OpenedRun& run, const Given& given) {
  const OpenedSet& pool = run.sets.back();
  const LabelTable table = given.labels ? *given.labels : open_labels(run.config);
  if (!given.labels) run.labels_file = describe_labels(run.config, table);
  run.labels = std::make_shared<PoolLabels>(match_labels(table, file_names(pool), pool.rows()));
}

void open_sets(OpenedRun& run, const Given& given) {
  const Config& config = run.config;
  const auto open = [&](const Role& role, const std::string& path) {
    const auto own = given.examples.find(role);
    return open_set(*run.session, role, path, own == given.examples.end() ? nullptr : own->second);
  };
  for (const ClassSet& set : config.classes) {
    if (set.target.file.empty()) resolve_target(set, 0, run.session->facts);  // before files are read
    run.classes.push_back(open({Role::Kind::kClass, set.name}, set.path));
    run.targets.push_back(resolve_target(set, run.classes.back().rows(), run.session->facts));
  }
  if (run.directions) return;
  if (!config.random.empty()) run.sets.push_back(open(Role::Kind::kRandom, config.random));
  for (const ExampleSet& set : config.concepts)
    run.sets.push_back(open({Role::Kind::kConcept, set.name}, set.path));
  for (const OpenedSet& set : run.sets)
    check_at_least("run", "number of examples of " + set.name(), set.rows(), 2);
  if (config.options.pairs) {
    std::vector<Index> rows;
    for (const OpenedSet& set : run.sets) rows.push_back(set.rows());
    check_pairs(names_of(config), rows);
  }
  if (!run.has_pool()) return;
  run.sets.push_back(open(Role::Kind::kPool, config.pool_examples));
  read_labels_of_pool(run, given);
}

std::shared_ptr<const RowGroups> files_of_rows(const OpenedRun& run) {
  auto files = std::make_shared<RowGroups>();
  if (!run.directions) {
    for (const OpenedSet& set : run.folders()) files->sets.push_back(file_names(set));
  }
  if (run.has_pool()) files->pool = file_names(run.sets.back());
  for (const OpenedSet& set : run.classes) files->classes.push_back(file_names(set));
  return files;
}

std::shared_ptr<const std::vector<std::string>> strata_of(const OpenedRun& run) {
  if (run.folders().empty()) return nullptr;
  auto strata = std::make_shared<std::vector<std::string>>(subfolders_of(run.folders().front()));
  return strata->empty() ? nullptr : strata;
}

void name_layers(OpenedRun& run) {
  const std::shared_ptr<const RowGroups> files = files_of_rows(run);
  LayerNames names = names_of(run.config);
  for (std::size_t k = 0; k < run.classes.size(); ++k) names.classes[k].inputs = run.classes[k].rows();
  const std::shared_ptr<const RowGroups> groups =
      row_groups(run.config, names, *files, run.has_pool(),
                 run.labels ? run.labels->groups : std::vector<std::string>{});
  for (std::size_t i = 0; i < run.session->layers.size(); ++i) {
    const ProbedLayer& found = run.session->layers[i];
    LayerData layer;
    layer.names = names;
    layer.names.layer = found.name;
    layer.names.tensor = found.what.name;
    layer.labels = run.labels;
    layer.groups = groups;
    if (run.directions) {
      const LayerDirections& own = run.directions->layers[i];
      check_columns(*run.directions, own, found.columns);
      layer.names.concepts = own.concepts;
      layer.directions = own.rows;
    }
    run.layers.push_back(std::move(layer));
  }
}

Index rows_of(std::span<const OpenedSet> sets) {
  Index rows = 0;
  for (const OpenedSet& set : sets) rows += set.rows();
  return rows;
}

// All layers are held at once. Directions that were given need no pass.
void check_room(const OpenedRun& run) {
  const Index inputs = rows_of(run.classes);
  const Index examples = rows_of(run.sets);
  pass::PassOptions options = pass_options(run.about.options, /*smallest_set=*/examples);
  if (!run.config.no_intervene) options.groups_in_fold = 4;
  options.gram = options.gram || run.config.eraser == EraserChoice::kRidge;
  // A process of several keeps all projections until they are merged.
  if (comm::size() > 1 || run.options.share) options.moments_only = false;
  double bytes = 0;
  for (const ProbedLayer& layer : run.session->layers) {
    bytes += layer_bytes(inputs, layer.columns, examples, std::ssize(run.sets), options);
    if (!run.has_pool() || !keeps_pool_rows(run.sets.back().rows(), layer.columns)) continue;
    pass::PassOptions kept = options;
    kept.gram = true;
    bytes += layer_bytes(0, layer.columns, run.sets.back().rows(), 1, kept);
  }
  check_memory("run",
               fmt::format("{} layers with {} examples and {} inputs", run.layers.size(), examples, inputs),
               bytes, memory_budget(run.config.options.memory));
}

void read_texts(OpenedRun& run) {
  const std::vector<ClassSet>& classes = run.config.classes;
  for (const ExampleSet& set : run.config.texts) {
    const auto found = std::ranges::find(classes, set.name, &ClassSet::name);
    if (found == classes.end())
      fail_argument("run", fmt::format("--texts names unknown class '{}'", set.name));
    const std::vector<std::string>& lines = run.about.class_texts[set.name] = data::read_lines(set.path);
    const OpenedSet& of_class = run.classes[static_cast<std::size_t>(found - classes.begin())];
    check_same("run", "lines or inputs", set.path, std::ssize(lines), of_class.name(), of_class.rows());
  }
}

// Inputs of each set to try directions out on; 0 where that cannot be done.
Index inputs_to_try(const OpenedRun& run) {
  const Config& config = run.config;
  if (run.folders().empty() && !run.directions) return 0;
  // Examples from code may come shuffled; only who asks for it looks twice.
  const auto is_given = [](const OpenedSet& set) { return !set.inputs.stored(); };
  const bool once = std::ranges::any_of(run.classes, is_given) || std::ranges::any_of(run.sets, is_given);
  if (config.no_intervene || (once && !config.intervene)) return 0;
  if (config.intervene) return *config.intervene;
  InterventionCost cost;
  cost.class_inputs = rows_of(run.classes);
  cost.examples = rows_of(run.sets);
  cost.bases = static_cast<Index>(run.classes.size() + (run.sets.empty() ? 0 : 1));
  cost.directions = static_cast<Index>(run.layers.front().names.concepts.size() + config.relative.size());
  for (const ProbedLayer& layer : run.session->layers) cost.depths.push_back(layer.depth);
  return tried_inputs(cost);
}

}  // namespace

Config reproducible_config(Config config) {
  const Config defaults;
  config.options.threads = defaults.options.threads;
  config.options.memory = defaults.options.memory;
  config.cache = defaults.cache;
  config.cache_gb = defaults.cache_gb;
  config.save_cavs = defaults.save_cavs;
  config.influences = defaults.influences;
  return config;
}

std::vector<std::string> file_names(const OpenedSet& set) {
  std::vector<std::string> names;
  for (Index row = 0; row < set.rows() && !set.inputs.file(row).empty(); ++row)
    names.push_back(model::row_name(set.inputs, row));
  return names;
}

void plan_rows(OpenedRun& run) {
  const std::shared_ptr<const RowGroups> files = files_of_rows(run);
  const std::shared_ptr<const std::vector<std::string>> strata = strata_of(run);
  for (LayerData& layer : run.layers) {
    layer.files = files;
    layer.strata = strata;
  }
  run.tried = inputs_to_try(run);
  run.options.groups = run.tried > 0;
  run.options.rows = run.tried > 0 && !run.config.no_erase && run.config.eraser == EraserChoice::kRidge;
}

OpenedRun open_run(const Config& config, const Progress& progress, const Given& given,
                   const std::optional<Part>& share) {
  OpenedRun run = begin(config, given);
  run.options.share = share;
  run.options.run = run.about.options;
  run.options.on_device = config.on_gpu() || (given.network && given.network->on_device());
  run.options.cached = !config.cache.empty() || run.session->reads_some;
  run.options.progress = progress;
  run.logit_names = read_logit_names(config.logit_names, run.session->facts.logit_count);
  open_sets(run, given);
  read_texts(run);
  name_layers(run);
  check_room(run);
  plan_rows(run);
  if (share && run.session->reads_some)
    fail_argument("share",
                  "--until and --budget cannot be combined with parts, which do not wait for each other");
  return run;
}

std::vector<PassOfRun> passes_of(OpenedRun& run) {
  std::vector<PassOfRun> passes;
  if (!run.folders().empty())
    passes.push_back({"examples", run.folders(), run.targets, run.options, &LayerData::pass});
  if (!run.has_pool()) return passes;
  CollectOptions options = run.options;
  options.rows = std::ranges::all_of(run.session->layers, [&](const ProbedLayer& layer) {
    return keeps_pool_rows(run.sets.back().rows(), layer.columns);
  });
  passes.push_back({"pool", std::span(&run.sets.back(), 1), {}, options, &LayerData::pool});
  return passes;
}

}  // namespace atcav
