#include "atcav/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "core/check.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "comm/comm.h"
#include "data/file/reader.h"
#include "model/image_folder.h"
#include "pipeline/analyse.h"
#include "pipeline/check_config.h"
#include "pipeline/collect_rows.h"
#include "pipeline/directions.h"
#include "pipeline/network_tail.h"
#include "pipeline/option_table.h"
#include "pipeline/position_maps.h"
#include "pipeline/probe.h"

namespace atcav {
namespace {

LayerNames names_of(const Config& config) {
  LayerNames names;
  for (const ClassSet& set : config.classes) names.classes.push_back({set.name, 0});
  for (const ExampleSet& set : config.concepts) names.concepts.push_back(set.name);
  names.relative = relative_positions(config);
  return names;
}

// results.json must not differ because of threads or because a cache was used.
Config without_what_changes_no_result(Config config) {
  const Config defaults;
  config.options.threads = defaults.options.threads;
  config.options.memory = defaults.options.memory;
  config.cache = defaults.cache;
  config.cache_gb = defaults.cache_gb;
  config.save_cavs = defaults.save_cavs;
  return config;
}

std::vector<Index> of_all_ranks(Index own) {
  std::vector<Index> all(static_cast<std::size_t>(comm::size()), own);
  for (int rank = 0; rank < comm::size(); ++rank)
    comm::broadcast_values(std::span(all).subspan(static_cast<std::size_t>(rank), 1), rank);
  return all;
}

// A sentence about examples of `set` whose content, under whatever name, is in one of the others too.
std::vector<std::string> shared_examples(std::span<const OpenedSet> others, const OpenedSet& set) {
  std::map<std::string_view, const OpenedSet*> known;
  for (const OpenedSet& other : others) {
    for (const std::string& hash : other.hashes) known.emplace(hash, &other);
  }
  Index count = 0;
  std::set<std::string> where;
  std::string example;
  for (Index row = 0; row < set.rows(); ++row) {
    const auto found = known.find(set.hashes[row]);
    if (found == known.end()) continue;
    where.insert(found->second->role);
    if (count++ == 0) example = set.inputs.name(row);
  }
  if (count == 0) return {};
  return {fmt::format("{} of the {} examples of {} are also in {} (e.g. {})", count, set.rows(), set.role,
                      fmt::join(where, ", "), example)};
}

// One about copies within a set.
std::vector<std::string> copies_within(const OpenedSet& set) {
  const std::set<std::string> different(set.hashes.begin(), set.hashes.end());
  const Index copies = set.rows() - std::ssize(different);
  if (copies == 0) return {};
  return {fmt::format("{} of the {} examples of {} are exact copies of others: errors are understated",
                      copies, set.rows(), set.role)};
}

// Everything a run holds until its layers are analysed.
class Collector {
 public:
  Collector(const Config& config, const Progress& progress, const Given& given)
      : config_(config), progress_(progress), examples_(given.examples), directions_(given.directions) {
    const bool has_directions = given.directions || !config.cavs.empty();
    check_config(config, has_directions);
    names_ = names_of(config);
    about_.command = "run";
    about_.options = checked(config.options);
    if (has_directions) {
      if (!directions_) directions_ = read_directions(config.cavs, config.layers);
      config_.layers.clear();
      for (const LayerDirections& layer : directions_->layers) config_.layers.push_back(layer.layer);
      names_.concepts = {"given"};
    } else if (config.random.empty()) {
      fail_argument("run", "no random examples were given");
    }
    if (config.model.empty() && !given.network) fail_argument("run", "no model was given");
    check_at_least("run", "number of layers", std::ssize(config_.layers), 1);
    check_names(names_);
    probe_ = std::make_shared<Probe>(config_, given.network);
    if (!config.labels.empty()) read_labels();
  }

  CollectedRun collect() {
    open_sets();
    check_room();
    watch_.lap("open");
    const CollectOptions options{about_.options, config_.device != "cpu", !config_.cache.empty(), progress_};
    const auto begin_random = [&] {
      if (!sets_.empty()) probe_->prepare(sets_.front(), probe_->batch());
    };
    collect_gradients(*probe_, classes_, targets_, begin_random, options, layers_);
    watch_.lap("gradients");
    const bool tails = can_intervene();
    const Index tried = config_.intervene.value_or(tried_inputs(tail_cost()));
    // Other classes are read when it is their turn: there may be too many for memory.
    const auto begin_again = [&] {
      if (!tails) return;
      probe_->prepare(classes_.front(), tried);
      probe_->prepare(sets_.front(), tried);
    };
    if (!directions_) collect_passes(*probe_, sets_, begin_again, options, layers_);
    watch_.lap("activations");
    describe();
    if (!gathers()) return {std::move(layers_), std::move(about_), nullptr, nullptr};
    again_ = std::make_shared<std::vector<OpenedSet>>(std::move(classes_));
    if (!sets_.empty()) again_->push_back(std::move(sets_.front()));
    if (tails) add_tails(tried);
    return {std::move(layers_), std::move(about_), probe_, again_};
  }

 private:
  bool gathers() const { return comm::rank() == 0; }

  // One more or less, and every name would be another logit's.
  void read_labels() {
    labels_ = io::read_lines(config_.labels);
    while (!labels_.empty() && labels_.back().empty()) labels_.pop_back();
    check_same("run", "names", config_.labels, std::ssize(labels_), "the network (logits)",
               probe_->facts().logit_count);
  }

  OpenedSet open(const std::string& role, const std::string& path) const {
    const auto given = examples_.find(role);
    return probe_->open(role, path, given == examples_.end() ? nullptr : given->second);
  }

  void open_sets() {
    for (std::size_t k = 0; k < config_.classes.size(); ++k) {
      const ClassSet& set = config_.classes[k];
      if (set.target.file.empty()) probe_->target(set, 0);  // before files are read
      classes_.push_back(open(fmt::format("class '{}'", set.name), set.path));
      targets_.push_back(probe_->target(set, classes_.back().rows()));
      names_.classes[k].inputs = classes_.back().rows();
    }
    if (!directions_) {
      sets_.push_back(open("random", config_.random));
      for (const ExampleSet& set : config_.concepts)
        sets_.push_back(open(fmt::format("concept '{}'", set.name), set.path));
    }
    for (const OpenedSet& set : sets_)
      check_at_least("run", "number of examples of " + set.role, set.rows(), 2);
    read_texts();
    for (std::size_t i = 0; i < probe_->layers().size(); ++i) {
      LayerData layer;
      layer.names = names_;
      layer.names.layer = probe_->layers()[i].name;
      layer.names.tensor = probe_->tensor(i);
      if (directions_) {
        const LayerDirections& own = directions_->layers[i];
        check_columns(*directions_, own, probe_->columns(i));
        layer.names.concepts = own.concepts;
        layer.directions = own.rows;
      }
      layers_.push_back(std::move(layer));
    }
  }

  // All layers are held at once. Directions that were given need no pass.
  void check_room() const {
    Index inputs = 0;
    Index examples = 0;
    for (const OpenedSet& set : classes_) inputs += set.rows();
    for (const OpenedSet& set : sets_) examples += set.rows();
    span::PassOptions options = pass_options(about_.options, /*smallest_set=*/examples);
    // A rank keeps all projections until they are merged.
    if (comm::size() > 1) options.moments_only = false;
    double bytes = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      bytes += layer_bytes(inputs, probe_->columns(i), examples, std::ssize(sets_), options);
    check_memory("run",
                 fmt::format("{} layers with {} examples and {} inputs", layers_.size(), examples, inputs),
                 bytes, memory_budget(config_.options.memory));
  }

  void read_texts() {
    for (const ExampleSet& set : config_.texts) {
      const auto named = [&](const ClassSet& of_class) { return of_class.name == set.name; };
      const auto found = std::ranges::find_if(config_.classes, named);
      if (found == config_.classes.end())
        fail_argument("run", fmt::format("texts are for '{}', which is no class", set.name));
      const std::vector<std::string>& lines = about_.class_texts[set.name] = io::read_lines(set.path);
      const auto k = static_cast<std::size_t>(found - config_.classes.begin());
      check_same("run", "lines or inputs", set.path, std::ssize(lines), classes_[k].role, classes_[k].rows());
    }
  }

  // Everything about the run that is no number.
  void describe() {
    if (!probe_->engine().empty()) {
      const std::size_t space = probe_->engine().find(' ');
      about_.libraries[probe_->engine().substr(0, space)] = probe_->engine().substr(space + 1);
    }
    if (config_.device != "cpu") {
      about_.libraries["device"] =
          fmt::format("{} ({} in the network, fp32 in the statistics)", config_.device,
                      std::get<std::string>(find_option("precision").get(config_)));
    }
    about_.setup = write_config(without_what_changes_no_result(config_));
    const std::vector<Index> run_by = of_all_ranks(probe_->examples_run());
    about_.examples_run = std::accumulate(run_by.begin(), run_by.end(), Index{0});
    if (comm::size() > 1) about_.bytes_sent = of_all_ranks(comm::bytes_sent());
    about_.remarks = probe_->remarks();
    about_.seconds = watch_.seconds();
    about_.inputs.push_back({"model", config_.model, probe_->facts().hash, {}});
    if (directions_) add_notes(notes_about(*directions_, probe_->facts().hash));
    add_notes(probe_->facts().notes);
    for (const model::FoundLayer& layer : probe_->layers()) {
      if (!layer.note.empty()) add_notes({layer.note});
    }
    for (const auto* list : {&sets_, &classes_}) {
      for (const OpenedSet& set : *list) {
        about_.inputs.push_back(set.describe());
        add_notes(copies_within(set));
        if (const Index folders = set.inputs.folders(); folders > 0)
          add_notes({fmt::format("{} folder{} beside the files of {} {} left out", folders,
                                 folders == 1 ? "" : "s", set.role, folders == 1 ? "was" : "were")});
        const auto& bad = set.inputs.bad();
        if (!bad.empty())
          add_notes({fmt::format("{} unreadable files of {} were left out (e.g. {})", bad.size(), set.role,
                                 bad.front().path)});
      }
    }
    if (directions_) about_.inputs.push_back({"cavs", config_.cavs, directions_->sha256, {}});
    const std::span all(sets_);
    for (std::size_t i = 1; i < all.size(); ++i) {
      add_notes(shared_examples(all.first(1), all[i]));
      add_notes(shared_examples(all.subspan(1, i - 1), all[i]));
      add_notes(shared_examples(classes_, all[i]));
    }
    for (const OpenedSet& set : classes_) {
      if (!all.empty()) add_notes(shared_examples(all.first(1), set));
    }
    describe_pictures();
  }

  // The files behind the rows, where there are some.
  void describe_pictures() {
    const auto files_of = [this](const OpenedSet& set) {
      std::vector<std::string> files;
      for (Index row = 0; row < set.rows(); ++row) {
        files.push_back(set.inputs.file(row));
        about_.file_hashes[files.back()] = set.hashes[static_cast<std::size_t>(row)];
      }
      return files.front().empty() ? std::vector<std::string>{} : files;
    };
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      std::vector<std::string> files = files_of(classes_[k]);
      if (files.empty()) continue;
      if (!files.front().ends_with(".npy")) {
        const model::InputOptions& reading = probe_->reading();
        about_.view = {reading.preprocess,
                       model::image_format(probe_->facts().inputs.front(), reading.shape)};
      }
      about_.class_files[config_.classes[k].name] = std::move(files);
    }
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      std::vector<std::string> files = files_of(sets_[i]);
      if (files.empty()) continue;
      if (i == 0)
        about_.random_files = std::move(files);
      else
        about_.concept_files[config_.concepts[i - 1].name] = std::move(files);
    }
  }

  bool can_intervene() const {
    const bool has_steps = directions_ || stats::is_mean_difference(config_.options.cav.method);
    const auto of_one_length = [](const OpenedSet& set) {
      return set.inputs.groups(0, std::min(kMostTried, set.rows())).size() == 1;
    };
    const bool even =
        std::ranges::all_of(classes_, of_one_length) && (sets_.empty() || of_one_length(sets_.front()));
    // Examples from code may come shuffled or in batches of different lengths; only who asks for it looks
    // twice.
    const auto is_given = [](const OpenedSet& set) { return set.inputs.is_given(); };
    const bool once = std::ranges::any_of(classes_, is_given) || std::ranges::any_of(sets_, is_given);
    return !config_.no_intervene && has_steps && even && (!once || config_.intervene.has_value());
  }

  TailCost tail_cost() const {
    TailCost cost;
    for (const OpenedSet& set : classes_) cost.class_inputs += set.rows();
    for (const OpenedSet& set : sets_) cost.examples += set.rows();
    cost.bases = static_cast<Index>(classes_.size() + (sets_.empty() ? 0 : 1));
    cost.directions = static_cast<Index>(layers_.front().names.concepts.size() + config_.relative.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) cost.depths.push_back(probe_->depth(i));
    return cost;
  }

  void add_tails(Index tried) {
    TailBases bases{probe_, again_, tried, labels_, targets_};
    for (std::size_t k = 0; k < config_.classes.size(); ++k) {
      const bool per_input = targets_[k].logits.size() != 1;
      const bool single = !per_input && !targets_[k].minus && !targets_[k].negative;
      const Index logit = targets_[k].logits.front();
      const Index behind = probe_->facts().logit_count + static_cast<Index>(k);
      for (LayerData& layer : layers_) {
        layer.names.classes[k].target = single ? logit : behind;
        layer.names.classes[k].target_per_input = per_input;
      }
      if (!single) continue;
      const auto place = static_cast<std::size_t>(logit);
      if (bases.labels.size() <= place) bases.labels.resize(place + 1);
      if (bases.labels[place].empty()) bases.labels[place] = config_.classes[k].name;
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].tail = make_network_tail(bases, i);
  }

  void add_notes(const std::vector<std::string>& notes) {
    about_.notes.insert(about_.notes.end(), notes.begin(), notes.end());
  }

  Config config_;
  const Progress& progress_;
  LayerNames names_;
  RunResult about_;
  std::map<std::string, std::shared_ptr<model::ExampleSource>> examples_;  // that were given, by role
  std::optional<Directions> directions_;
  Stopwatch watch_;
  std::shared_ptr<Probe> probe_;
  std::vector<std::string> labels_;
  std::vector<OpenedSet> classes_;
  std::vector<ClassTarget> targets_;
  std::vector<OpenedSet> sets_;  // random, then the concepts
  std::vector<LayerData> layers_;
  std::shared_ptr<std::vector<OpenedSet>> again_;  // the classes and random, once all were read
};

}  // namespace

CollectedRun collect(const Config& config, const Progress& progress, const Given& given) {
  return Collector(config, progress, given).collect();
}

RunResult run(const Config& config, const Progress& progress, const Given& given) {
  CollectedRun collected = collect(config, progress, given);
  if (comm::rank() != 0) return {};
  PositionMapper maps(collected.probe, collected.sets);
  RunResult result = analyse(collected.layers, std::move(collected.about), progress,
                             given.keep_cavs || !config.save_cavs.empty(), std::ref(maps));
  Stopwatch watch;
  maps.finish(result.results);
  result.remarks = collected.probe->remarks();
  watch.lap("maps");
  result.seconds.insert(result.seconds.end(), watch.seconds().begin(), watch.seconds().end());
  return result;
}

}  // namespace atcav
