#include "atcav/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <span>

#include "atcav/base/check.h"
#include "atcav/base/memory.h"
#include "atcav/base/parallel.h"
#include "atcav/comm/comm.h"
#include "atcav/io/reader.h"
#include "atcav/run/analyse.h"
#include "atcav/run/check_config.h"
#include "atcav/run/check_names.h"
#include "atcav/run/directions.h"
#include "atcav/run/network_tail.h"
#include "atcav/run/option_table.h"
#include "atcav/run/probe.h"
#include "atcav/run/rank_scheduler.h"
#include "atcav/span/pass_builder.h"

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

// Everything a run holds until its layers are analysed.
class Collector {
 public:
  Collector(const Config& config, const Progress& progress, const Given& given)
      : config_(config), progress_(progress), directions_(given.directions) {
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
    check_at_least("run", "number of layers", static_cast<Index>(config_.layers.size()), 1);
    check_names(names_);
    if (!config.labels.empty()) labels_ = io::read_lines(config.labels);
    probe_ = std::make_shared<Probe>(config_, given.network, given.examples);
    scheduler_.emplace(probe_->layers().size());
  }

  CollectedRun collect() {
    open_sets();
    check_room();
    watch_.lap("open");
    collect_gradients();
    watch_.lap("gradients");
    if (!directions_) collect_passes();
    watch_.lap("activations");
    describe();
    if (gathers()) add_tails();
    return {std::move(layers_), std::move(about_)};
  }

 private:
  bool gathers() const { return comm::rank() == 0; }
  void report(const std::string& stage, Index done, Index total) const {
    if (progress_ && gathers()) progress_(stage, done, total);
  }

  void open_sets() {
    for (std::size_t k = 0; k < config_.classes.size(); ++k) {
      const ClassSet& set = config_.classes[k];
      if (set.target.file.empty()) probe_->target(set, 0);  // before files are read
      classes_.push_back(probe_->open(fmt::format("class '{}'", set.name), set.path));
      targets_.push_back(probe_->target(set, classes_.back().rows()));
      names_.classes[k].inputs = classes_.back().rows();
    }
    if (!directions_) {
      sets_.push_back(probe_->open("random", config_.random));
      for (const ExampleSet& set : config_.concepts)
        sets_.push_back(probe_->open(fmt::format("concept '{}'", set.name), set.path));
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
    double bytes = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      bytes += layer_bytes(inputs, probe_->columns(i), examples, static_cast<Index>(sets_.size()),
                           pass_options(about_.options, /*smallest_set=*/examples));
    check_memory("run",
                 fmt::format("{} layers with {} examples and {} inputs", layers_.size(), examples, inputs),
                 bytes, memory_budget(config_.options.memory));
  }

  // Classes below each other. Ranks other than 0 compute their share of the blocks and keep nothing.
  void collect_gradients() {
    Index total = 0;
    for (const OpenedSet& set : classes_) total += set.rows();
    for (std::size_t i = 0; gathers() && i < layers_.size(); ++i)
      layers_[i].gradients.resize(total, probe_->columns(i));
    // Memory that was never touched is slow to copy into, so all threads touch it while a GPU is busy.
    std::future<void> touching;
    if (config_.device != "cpu") {
      touching = std::async(std::launch::async, [this] {
        for (LayerData& layer : layers_) {
          parallel_for(layer.gradients.rows(), about_.options.threads,
                       [&](Index row) { layer.gradients.row(row).setZero(); });
        }
      });
    }
    Index done = 0;
    RankScheduler scheduler(layers_.size() + 1);
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      double hits = 0;
      if (k + 1 < classes_.size()) {
        probe_->prepare(classes_[k + 1]);
      } else if (!sets_.empty()) {
        probe_->prepare(sets_.front());
      }
      each_block(classes_[k], [&](Index first, Index count) {
        const std::vector<RowsPtr> blocks = scheduler.next([&] {
          expect_next(classes_[k], first + count);
          return probe_->gradients(classes_[k], first, count, targets_[k]);
        });
        if (touching.valid()) touching.get();
        for (std::size_t i = 0; gathers() && i < layers_.size(); ++i) {
          auto rows = layers_[i].gradients.middleRows(done, count);
          blocks[i]->copy_to(rows);
          check_gradients(fmt::format("gradient of {} at {}", classes_[k].role, layers_[i].names.layer), rows,
                          first);
        }
        if (gathers()) hits += blocks.back()->host().sum();
        report("gradients", done += count, total);
      });
      if (probe_->facts().logit_count == 1) continue;
      for (LayerData& layer : layers_)
        layer.names.classes[k].top_share = hits / static_cast<double>(classes_[k].rows());
    }
  }

  void read_texts() {
    for (const ExampleSet& set : config_.texts) {
      const auto named = [&](const ClassSet& of_class) { return of_class.name == set.name; };
      const auto found = std::find_if(config_.classes.begin(), config_.classes.end(), named);
      if (found == config_.classes.end())
        fail_argument("run", fmt::format("texts are for '{}', which is no class", set.name));
      const std::vector<std::string>& lines = about_.class_texts[set.name] = io::read_lines(set.path);
      const auto k = static_cast<std::size_t>(found - config_.classes.begin());
      check_same("run", "lines or inputs", set.path, static_cast<Index>(lines.size()), classes_[k].role,
                 classes_[k].rows());
    }
  }

  void check_gradients(const std::string& what, const MatrixFRef& rows, Index first) const {
    std::atomic<bool> finite{true};
    parallel_for(rows.rows(), about_.options.threads, [&](Index row) {
      if (!rows.row(row).allFinite()) finite = false;
    });
    if (!finite) check_finite("run", what, rows, first);
  }

  void collect_passes() {
    std::vector<span::SetShape> shapes;
    Index total = 0;
    Index smallest = sets_.front().rows();
    for (const OpenedSet& set : sets_) {
      shapes.push_back({set.role, set.rows(), nullptr});
      total += set.rows();
      smallest = std::min(smallest, set.rows());
    }
    std::vector<std::unique_ptr<span::PassBuilder>> builders;
    for (std::size_t i = 0; gathers() && i < layers_.size(); ++i) {
      builders.push_back(std::make_unique<span::PassBuilder>(layers_[i].gradients, shapes,
                                                             pass_options(about_.options, smallest)));
    }
    // One block is added up while the next is in the network; leaving this scope waits for it. A GPU does
    // both anyway, and its precision belongs to the process: there one thread hands over network and pass in
    // turn. Runs with a cache add up on the host, so that what was computed and what was found give the same
    // bytes.
    const auto when = config_.device == "cpu" ? std::launch::async : std::launch::deferred;
    const bool here = !config_.cache.empty();
    std::vector<RowsPtr> in_hand;
    std::future<void> adding;
    Index done = 0;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      if (s + 1 < sets_.size()) probe_->prepare(sets_[s + 1]);
      each_block(sets_[s], [&](Index first, Index count) {
        std::vector<RowsPtr> blocks = scheduler_->next([&] {
          expect_next(sets_[s], first + count);
          return probe_->activations(sets_[s], first, count);
        });
        if (adding.valid()) adding.get();
        in_hand = std::move(blocks);
        adding = std::async(when, [&builders, &in_hand, here, s] {
          for (std::size_t i = 0; i < builders.size(); ++i) {
            if (here)
              builders[i]->add(static_cast<Index>(s), in_hand[i]->host());
            else
              builders[i]->add(static_cast<Index>(s), *in_hand[i]);
          }
        });
        report("examples", done += count, total);
      });
    }
    adding.get();
    for (std::size_t i = 0; i < builders.size(); ++i) layers_[i].pass = builders[i]->finish();
  }

  // The blocks that follow belong to the other ranks: this one decodes none of them.
  void expect_next(OpenedSet& set, Index end) const {
    set.inputs.expect(end + (comm::size() - 1) * probe_->batch());
  }

  template <typename Body>
  void each_block(const OpenedSet& set, Body body) const {
    Index count = 0;
    for (Index first = 0; first < set.rows(); first += count) {
      count = set.inputs.block(first, probe_->batch());
      body(first, count);
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
    about_.examples_run = probe_->examples_run();
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
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      std::vector<std::string> files;
      for (Index row = 0; row < classes_[k].rows(); ++row) files.push_back(classes_[k].inputs.file(row));
      if (!files.front().empty()) about_.class_files[config_.classes[k].name] = std::move(files);
    }
  }

  // Last, because the tails take the sets with them.
  void add_tails() {
    const bool has_steps = directions_ || stats::is_mean_difference(config_.options.cav.method);
    const auto of_one_length = [](const OpenedSet& set) {
      return set.inputs.groups(0, std::min(kMostTried, set.rows())).size() == 1;
    };
    const bool even = std::all_of(classes_.begin(), classes_.end(), of_one_length) &&
                      (sets_.empty() || of_one_length(sets_.front()));
    // Examples from code may come shuffled or in batches of different lengths; only who asks for it looks
    // twice.
    const auto is_given = [](const OpenedSet& set) { return set.inputs.is_given(); };
    const bool once = std::any_of(classes_.begin(), classes_.end(), is_given) ||
                      std::any_of(sets_.begin(), sets_.end(), is_given);
    // Nor are their masks known here, which other pools look at.
    const bool plain = config_.pool == model::Pool::kNone || config_.pool == model::Pool::kMean;
    if (config_.no_intervene || !has_steps || !even || (once && !(config_.intervene && plain))) return;
    TailBases bases{probe_, std::make_shared<std::vector<OpenedSet>>(std::move(classes_)), 0, labels_,
                    targets_};
    TailCost cost;
    for (const OpenedSet& set : *bases.sets) cost.class_inputs += set.rows();
    for (const OpenedSet& set : sets_) cost.examples += set.rows();
    if (!sets_.empty()) bases.sets->push_back(std::move(sets_.front()));
    cost.bases = static_cast<Index>(bases.sets->size());
    cost.directions = static_cast<Index>(layers_.front().names.concepts.size() + config_.relative.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) cost.depths.push_back(probe_->depth(i));
    bases.inputs = config_.intervene.value_or(tried_inputs(cost));
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
  std::optional<Directions> directions_;
  Stopwatch watch_;
  std::shared_ptr<Probe> probe_;
  std::vector<std::string> labels_;
  std::optional<RankScheduler> scheduler_;
  std::vector<OpenedSet> classes_;
  std::vector<ClassTarget> targets_;
  std::vector<OpenedSet> sets_;  // random, then the concepts
  std::vector<LayerData> layers_;
};

}  // namespace

CollectedRun collect(const Config& config, const Progress& progress, const Given& given) {
  return Collector(config, progress, given).collect();
}

RunResult run(const Config& config, const Progress& progress, const Given& given) {
  CollectedRun collected = collect(config, progress, given);
  if (comm::rank() != 0) return {};
  return analyse(collected.layers, std::move(collected.about), progress, !config.save_cavs.empty());
}

}  // namespace atcav
