#include "pipeline/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "comm/comm.h"
#include "core/check.h"
#include "core/memory.h"
#include "data/file/reader.h"
#include "model/image_folder.h"
#include "pipeline/analyse.h"
#include "pipeline/check_config.h"
#include "pipeline/collect_rows.h"
#include "pipeline/interventions.h"
#include "pipeline/label_tables.h"
#include "pipeline/labels.h"
#include "pipeline/option_table.h"
#include "pipeline/row_groups.h"

namespace atcav {
namespace {

// What a run holds until its layers are there.
struct Parts {
  Config config;
  std::optional<Directions> directions;  // that were given
  std::shared_ptr<Session> session;
  std::vector<OpenedSet> classes;
  std::vector<ClassTarget> targets;
  std::vector<OpenedSet> sets;               // random, then the concepts; the pool comes last
  std::shared_ptr<const PoolLabels> labels;  // of the pool, if there is one
  Input labels_file;
  std::vector<LayerData> layers;
  RunInfo about;

  bool has_pool() const { return !config.pool_examples.empty(); }
  std::span<OpenedSet> folders() { return std::span(sets).first(sets.size() - (has_pool() ? 1 : 0)); }
  std::span<const OpenedSet> folders() const {
    return std::span(sets).first(sets.size() - (has_pool() ? 1 : 0));
  }
};

LayerNames names_of(const Config& config) {
  LayerNames names;
  for (const ClassSet& set : config.classes) names.classes.push_back({set.name, 0});
  for (const ExampleSet& set : config.concepts) names.concepts.push_back(set.name);
  names.relative = relative_positions(config);
  return names;
}

// results.json must not differ because of threads or because a cache was used.
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

std::vector<Index> of_all_ranks(Index own) {
  std::vector<Index> all(static_cast<std::size_t>(comm::size()), own);
  for (int rank = 0; rank < comm::size(); ++rank)
    comm::broadcast_values(std::span(all).subspan(static_cast<std::size_t>(rank), 1), rank);
  return all;
}

// The configuration checked, given directions read, the session open.
Parts begin(const Config& config, const Given& given) {
  Parts parts;
  parts.config = config;
  parts.directions = given.directions;
  const bool has_directions = given.directions || !config.cavs.empty();
  check_config(config, has_directions);
  LayerNames names = names_of(config);
  parts.about.command = "run";
  parts.about.options = checked(config.options);
  if (has_directions) {
    if (!parts.directions) parts.directions = read_directions(config.cavs, config.layers);
    parts.config.layers.clear();
    for (const LayerDirections& layer : parts.directions->layers) parts.config.layers.push_back(layer.layer);
    names.concepts = {"given"};
  } else if (config.random.empty() && !parts.has_pool()) {
    fail_argument("run", "no random examples were given");
  }
  if (config.model.empty() && !given.network) fail_argument("run", "no model was given");
  check_at_least("run", "number of layers", std::ssize(parts.config.layers), 1);
  check_names(names, parts.has_pool());
  parts.session = std::make_shared<Session>(open_session(parts.config, given.network));
  return parts;
}

// One more or less, and every name would be another logit's.
std::vector<std::string> read_logit_names(const std::string& file, Index logits) {
  if (file.empty()) return {};
  std::vector<std::string> labels = data::read_lines(file);
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  check_same("run", "names", file, std::ssize(labels), "the network (logits)", logits);
  return labels;
}

std::vector<std::string> file_names(const OpenedSet& set) {
  std::vector<std::string> names;
  for (Index row = 0; row < set.rows() && !set.inputs.file(row).empty(); ++row)
    names.push_back(model::row_name(set.inputs, row));
  return names;
}

void read_labels_of_pool(Parts& parts, const Given& given) {
  const OpenedSet& pool = parts.sets.back();
  const LabelTable table = given.labels ? *given.labels : open_labels(parts.config);
  if (!given.labels) parts.labels_file = describe_labels(parts.config, table);
  parts.labels = std::make_shared<PoolLabels>(match_labels(table, file_names(pool), pool.rows()));
}

void open_sets(Parts& parts, const Given& given) {
  const Config& config = parts.config;
  const auto open = [&](const Role& role, const std::string& path) {
    const auto own = given.examples.find(role);
    return open_set(*parts.session, role, path, own == given.examples.end() ? nullptr : own->second);
  };
  for (const ClassSet& set : config.classes) {
    if (set.target.file.empty()) resolve_target(set, 0, parts.session->facts);  // before files are read
    parts.classes.push_back(open({Role::Kind::kClass, set.name}, set.path));
    parts.targets.push_back(resolve_target(set, parts.classes.back().rows(), parts.session->facts));
  }
  if (parts.directions) return;
  if (!config.random.empty()) parts.sets.push_back(open(Role::Kind::kRandom, config.random));
  for (const ExampleSet& set : config.concepts)
    parts.sets.push_back(open({Role::Kind::kConcept, set.name}, set.path));
  for (const OpenedSet& set : parts.sets)
    check_at_least("run", "number of examples of " + set.name(), set.rows(), 2);
  if (config.options.pairs) {
    std::vector<Index> rows;
    for (const OpenedSet& set : parts.sets) rows.push_back(set.rows());
    check_pairs(names_of(config), rows);
  }
  if (!parts.has_pool()) return;
  parts.sets.push_back(open(Role::Kind::kPool, config.pool_examples));
  read_labels_of_pool(parts, given);
}

std::shared_ptr<const RowGroups> files_of_rows(const Parts& parts) {
  auto files = std::make_shared<RowGroups>();
  if (!parts.directions) {
    for (const OpenedSet& set : parts.folders()) files->sets.push_back(file_names(set));
  }
  if (parts.has_pool()) files->pool = file_names(parts.sets.back());
  for (const OpenedSet& set : parts.classes) files->classes.push_back(file_names(set));
  return files;
}

std::shared_ptr<const std::vector<std::string>> strata_of(const Parts& parts) {
  if (parts.folders().empty()) return nullptr;
  auto strata = std::make_shared<std::vector<std::string>>(subfolders_of(parts.folders().front()));
  return strata->empty() ? nullptr : strata;
}

void name_layers(Parts& parts) {
  const std::shared_ptr<const RowGroups> files = files_of_rows(parts);
  LayerNames names = names_of(parts.config);
  for (std::size_t k = 0; k < parts.classes.size(); ++k) names.classes[k].inputs = parts.classes[k].rows();
  const std::shared_ptr<const RowGroups> groups =
      row_groups(parts.config, names, *files, parts.has_pool(),
                 parts.labels ? parts.labels->groups : std::vector<std::string>{});
  const std::shared_ptr<const std::vector<std::string>> strata = strata_of(parts);
  for (std::size_t i = 0; i < parts.session->layers.size(); ++i) {
    const ProbedLayer& found = parts.session->layers[i];
    LayerData layer;
    layer.names = names;
    layer.names.layer = found.name;
    layer.names.tensor = found.what.name;
    layer.labels = parts.labels;
    layer.groups = groups;
    layer.files = files;
    layer.strata = strata;
    if (parts.directions) {
      const LayerDirections& own = parts.directions->layers[i];
      check_columns(*parts.directions, own, found.columns);
      layer.names.concepts = own.concepts;
      layer.directions = own.rows;
    }
    parts.layers.push_back(std::move(layer));
  }
}

Index rows_of(std::span<const OpenedSet> sets) {
  Index rows = 0;
  for (const OpenedSet& set : sets) rows += set.rows();
  return rows;
}

// All layers are held at once. Directions that were given need no pass.
void check_room(const Parts& parts) {
  const Index inputs = rows_of(parts.classes);
  const Index examples = rows_of(parts.sets);
  pass::PassOptions options = pass_options(parts.about.options, /*smallest_set=*/examples);
  if (!parts.config.no_intervene) options.groups_in_fold = 4;
  options.gram = options.gram || parts.config.eraser == EraserChoice::kRidge;
  // A rank keeps all projections until they are merged.
  if (comm::size() > 1) options.moments_only = false;
  double bytes = 0;
  for (const ProbedLayer& layer : parts.session->layers) {
    bytes += layer_bytes(inputs, layer.columns, examples, std::ssize(parts.sets), options);
    if (!parts.has_pool() || !keeps_pool_rows(parts.sets.back().rows(), layer.columns)) continue;
    pass::PassOptions kept = options;
    kept.gram = true;
    bytes += layer_bytes(0, layer.columns, parts.sets.back().rows(), 1, kept);
  }
  check_memory("run",
               fmt::format("{} layers with {} examples and {} inputs", parts.layers.size(), examples, inputs),
               bytes, memory_budget(parts.config.options.memory));
}

void read_texts(Parts& parts) {
  const std::vector<ClassSet>& classes = parts.config.classes;
  for (const ExampleSet& set : parts.config.texts) {
    const auto found = std::ranges::find(classes, set.name, &ClassSet::name);
    if (found == classes.end())
      fail_argument("run", fmt::format("--texts names unknown class '{}'", set.name));
    const std::vector<std::string>& lines = parts.about.class_texts[set.name] = data::read_lines(set.path);
    const OpenedSet& of_class = parts.classes[static_cast<std::size_t>(found - classes.begin())];
    check_same("run", "lines or inputs", set.path, std::ssize(lines), of_class.name(), of_class.rows());
  }
}

// Inputs of each set to try directions out on; 0 where that cannot be done.
Index inputs_to_try(const Parts& parts) {
  const Config& config = parts.config;
  if (parts.folders().empty() && !parts.directions) return 0;
  // Examples from code may come shuffled; only who asks for it looks twice.
  const auto is_given = [](const OpenedSet& set) { return set.inputs.is_given(); };
  const bool once = std::ranges::any_of(parts.classes, is_given) || std::ranges::any_of(parts.sets, is_given);
  if (config.no_intervene || (once && !config.intervene)) return 0;
  if (config.intervene) return *config.intervene;
  InterventionCost cost;
  cost.class_inputs = rows_of(parts.classes);
  cost.examples = rows_of(parts.sets);
  cost.bases = static_cast<Index>(parts.classes.size() + (parts.sets.empty() ? 0 : 1));
  cost.directions = static_cast<Index>(parts.layers.front().names.concepts.size() + config.relative.size());
  for (const ProbedLayer& layer : parts.session->layers) cost.depths.push_back(layer.depth);
  return tried_inputs(cost);
}

// Logits whose class has a name in the run, where the file of names has none.
void name_classes(std::vector<std::string>& labels, const Parts& parts) {
  for (std::size_t k = 0; k < parts.targets.size(); ++k) {
    if (!parts.targets[k].is_plain()) continue;
    const auto place = static_cast<std::size_t>(parts.targets[k].logits.front());
    if (labels.size() <= place) labels.resize(place + 1);
    if (labels[place].empty()) labels[place] = parts.config.classes[k].name;
  }
}

// The files behind the rows, where there are some, and what they held.
std::vector<std::string> files_of(const OpenedSet& set, RunInfo& about) {
  std::vector<std::string> files;
  for (Index row = 0; row < set.rows(); ++row) {
    files.push_back(set.inputs.file(row));
    about.file_hashes[files.back()] = set.hashes[static_cast<std::size_t>(row)];
  }
  return files.front().empty() ? std::vector<std::string>{} : files;
}

void describe_pictures(Parts& parts) {
  RunInfo& about = parts.about;
  for (std::size_t k = 0; k < parts.classes.size(); ++k) {
    std::vector<std::string> files = files_of(parts.classes[k], about);
    if (files.empty()) continue;
    if (!files.front().ends_with(".npy")) {
      const model::InputOptions& reading = parts.session->reading;
      about.view = {reading.preprocess,
                    model::image_format(parts.session->facts.inputs.front(), reading.shape)};
    }
    about.class_files[parts.config.classes[k].name] = std::move(files);
  }
  for (std::size_t i = 0; i < parts.sets.size(); ++i) {
    std::vector<std::string> files = files_of(parts.sets[i], about);
    if (files.empty() || i >= parts.folders().size()) continue;
    if (i == 0)
      about.random_files = std::move(files);
    else
      about.concept_files[parts.config.concepts[i - 1].name] = std::move(files);
  }
}

RowGroups hashes_of(const Parts& parts) {
  RowGroups hashes;
  for (const OpenedSet& set : parts.folders()) hashes.sets.push_back(set.hashes);
  if (parts.has_pool()) hashes.pool = parts.sets.back().hashes;
  for (const OpenedSet& set : parts.classes) hashes.classes.push_back(set.hashes);
  return hashes;
}

// Everything about the run that is no number.
void describe(Parts& parts) {
  const Session& session = *parts.session;
  RunInfo& about = parts.about;
  const auto add_notes = [&about](const std::vector<std::string>& notes) {
    about.notes.insert(about.notes.end(), notes.begin(), notes.end());
  };
  if (!session.engine.empty()) {
    const std::size_t space = session.engine.find(' ');
    about.libraries[session.engine.substr(0, space)] = session.engine.substr(space + 1);
  }
  if (parts.config.device != "cpu") {
    about.libraries["device"] =
        fmt::format("{} ({} in the network, fp32 in the statistics)", parts.config.device,
                    std::get<std::string>(find_option("precision").get(parts.config)));
  }
  about.setup = write_config(reproducible_config(parts.config));
  const std::vector<Index> run_by = of_all_ranks(session.examples_run);
  about.examples_run = std::accumulate(run_by.begin(), run_by.end(), Index{0});
  if (comm::size() > 1) about.bytes_sent = of_all_ranks(comm::bytes_sent());
  about.remarks = session.remarks();
  about.inputs.push_back({Role::Kind::kModel, parts.config.model, session.facts.hash, {}});
  for (const auto* list : {&parts.sets, &parts.classes}) {
    for (const OpenedSet& set : *list) about.inputs.push_back(set.describe());
  }
  if (parts.labels) {
    about.inputs.push_back(parts.labels_file);
    add_notes(parts.labels->notes);
  }
  if (parts.directions) {
    about.inputs.push_back({Role::Kind::kCavs, parts.config.cavs, parts.directions->sha256, {}});
    add_notes(notes_about(*parts.directions, session.facts.hash));
  }
  add_notes(session.facts.notes);
  for (const ProbedLayer& layer : session.layers) {
    if (!layer.note.empty()) add_notes({layer.note});
  }
  add_notes(notes_about(parts.sets, parts.classes));
  describe_pictures(parts);
}

void collect_pool(Parts& parts, CollectOptions options) {
  const auto keeps = [&](const ProbedLayer& layer) {
    return keeps_pool_rows(parts.sets.back().rows(), layer.columns);
  };
  options.rows = std::ranges::all_of(parts.session->layers, keeps);
  collect_passes(
      *parts.session, std::span(&parts.sets.back(), 1), {}, [] {}, options, parts.layers, &LayerData::pool);
  for (LayerData& layer : parts.layers)
    if (options.rows && layer.pool) layer.pool_products = pool_products(*layer.pool);
}

}  // namespace

CollectedRun collect(const Config& config, const Progress& progress, const Given& given) {
  Stopwatch watch;
  Parts parts = begin(config, given);
  Session& session = *parts.session;
  std::vector<std::string> labels = read_logit_names(config.logit_names, session.facts.logit_count);
  open_sets(parts, given);
  read_texts(parts);
  name_layers(parts);
  check_room(parts);
  watch.lap("open");
  const Index tried = inputs_to_try(parts);
  const bool on_device = config.device != "cpu" || (given.network && given.network->on_device());
  CollectOptions options{parts.about.options, on_device, !config.cache.empty(), progress};
  options.groups = tried > 0;
  options.rows = tried > 0 && !config.no_erase && config.eraser == EraserChoice::kRidge;
  const auto begin_random = [&] {
    if (!parts.sets.empty()) prepare(session, parts.sets.front(), session.batch);
  };
  collect_gradients(session, parts.classes, parts.targets, begin_random, options, parts.layers);
  watch.lap("gradients");
  // Other classes are read when it is their turn: there may be too many for memory.
  const auto begin_again = [&] {
    if (tried == 0) return;
    prepare(session, parts.classes.front(), tried);
    prepare(session, parts.sets.front(), tried);
  };
  if (!parts.folders().empty())
    collect_passes(session, parts.folders(), parts.targets, begin_again, options, parts.layers);
  if (parts.has_pool()) collect_pool(parts, options);
  watch.lap("activations");
  describe(parts);
  parts.about.seconds = watch.seconds();
  CollectedRun collected{std::move(parts.layers), std::move(parts.about), {}, {}, {}, {}, tried, {}};
  if (comm::rank() != 0) return collected;
  if (config.influences) collected.hashes = hashes_of(parts);
  name_classes(labels, parts);
  collected.labels = std::move(labels);
  collected.session = parts.session;
  collected.sets = std::move(parts.classes);
  if (!parts.folders().empty()) collected.sets.push_back(std::move(parts.sets.front()));
  collected.targets = std::move(parts.targets);
  return collected;
}

}  // namespace atcav
