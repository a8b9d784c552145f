#include "atcav/network/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "atcav/base/check.h"
#include "atcav/base/version.h"
#include "atcav/comm/comm.h"
#include "atcav/experiment/analyse.h"
#include "atcav/experiment/analyse_pass.h"
#include "atcav/experiment/stopwatch.h"
#include "atcav/io/write_safetensors.h"
#include "atcav/network/probe.h"
#include "atcav/span/entanglement.h"
#include "atcav/span/pass_builder.h"

namespace atcav::network {
namespace {

void check_config(const experiment::RunConfig& config) {
  if (config.model.empty()) fail_argument("run", "no model was given");
  if (config.random.empty()) fail_argument("run", "no random examples were given");
  check_at_least("run", "number of layers", static_cast<Index>(config.layers.size()), 1);
  check_at_least("run", "number of classes", static_cast<Index>(config.classes.size()), 1);
  check_at_least("run", "number of concepts", static_cast<Index>(config.concepts.size()), 1);
  std::set<std::string> concepts;
  for (const experiment::ExampleSet& set : config.concepts) {
    if (!concepts.insert(set.name).second)
      fail_argument("run", fmt::format("the concept '{}' is given twice", set.name));
  }
  std::set<std::string> classes;
  for (const experiment::ClassSet& set : config.classes) {
    if (!classes.insert(set.name).second)
      fail_argument("run", fmt::format("the class '{}' is given twice", set.name));
  }
}

experiment::LayerNames names_of(const experiment::RunConfig& config) {
  experiment::LayerNames names;
  for (const experiment::ExampleSet& set : config.concepts) names.concepts.push_back(set.name);
  const auto position = [&](const std::string& name) {
    const auto found = std::find(names.concepts.begin(), names.concepts.end(), name);
    if (found == names.concepts.end())
      fail_argument("run", fmt::format("relative: there is no concept '{}'", name));
    return static_cast<Index>(found - names.concepts.begin());
  };
  for (const std::string& pair : config.relative) {
    const std::size_t colon = pair.find(':');
    if (colon == std::string::npos)
      fail_argument("run", fmt::format("relative is '{}', must be CONCEPT:CONCEPT", pair));
    names.relative.emplace_back(position(pair.substr(0, colon)), position(pair.substr(colon + 1)));
  }
  return names;
}

// results.json must not differ because of threads or because a cache was used.
experiment::RunConfig without_what_changes_no_result(experiment::RunConfig config) {
  const experiment::RunConfig defaults;
  config.options.threads = defaults.options.threads;
  config.cache = defaults.cache;
  config.cache_gb = defaults.cache_gb;
  config.save_cavs = defaults.save_cavs;
  return config;
}

std::vector<std::string> cache_remarks(const io::Cache& cache) {
  std::vector<std::string> remarks;
  if (cache.damaged() > 0) {
    remarks.push_back(
        fmt::format("{} damaged cache entries were noticed and computed again", cache.damaged()));
  }
  if (cache.not_kept() > 0) {
    remarks.push_back(fmt::format("{} blocks could not be kept in the cache, the first because: {}",
                                  cache.not_kept(), cache.why_not_kept()));
  }
  return remarks;
}

// Everything a run holds while it goes on.
class Runner {
 public:
  Runner(const experiment::RunConfig& config, const experiment::Progress& progress)
      : config_(config), progress_(progress), names_(names_of(config)), probe_(config) {}

  experiment::Scored run() {
    scored_.options = experiment::checked(config_.options);
    open_sets();
    if (comm::rank() != 0) return serve();
    scored_.seconds.emplace_back("open", watch_.lap());
    probe_gradients();
    scored_.seconds.emplace_back("gradients", watch_.lap());
    std::vector<span::Pass> passes = stream_examples();
    scored_.seconds.emplace_back("activations", watch_.lap());
    analyse_layers(passes);
    scored_.seconds.emplace_back("analyse", watch_.lap());
    if (!config_.save_cavs.empty()) save_directions(passes);
    describe();
    return std::move(scored_);
  }

  std::vector<experiment::LayerPass> passes() {
    scored_.options = experiment::checked(config_.options);
    open_sets();
    probe_gradients();
    std::vector<span::Pass> passes = stream_examples();
    std::vector<experiment::LayerPass> found;
    for (std::size_t layer = 0; layer < passes.size(); ++layer) {
      names_.layer = config_.layers[layer];
      found.push_back({names_, std::move(gradients_[layer]), std::move(passes[layer])});
    }
    return found;
  }

 private:
  // Blocks go round the ranks: the one whose turn it is computes, rank 0 gathers and has them all. Each block
  // is computed as it would be alone, so the results are the same for any number of ranks.
  std::vector<MatrixF> shared(const std::function<std::vector<MatrixF>()>& compute) {
    const int owner = static_cast<int>(turn_++ % comm::size());
    std::vector<MatrixF> blocks;
    if (owner == comm::rank()) blocks = compute();
    if (owner == 0 || comm::size() == 1) return blocks;
    if (owner == comm::rank()) {
      for (const MatrixF& block : blocks) comm::send(block, 0);
    } else if (comm::rank() == 0) {
      for (std::size_t layer = 0; layer < config_.layers.size(); ++layer)
        blocks.push_back(comm::receive(owner));
    }
    return blocks;
  }

  // What ranks other than 0 do: their share of the blocks, in the order in which rank 0 asks for them.
  experiment::Scored serve() {
    const auto each_block = [this](ExampleFiles& set, const auto& compute) {
      for (Index first = 0; first < set.rows(); first += probe_.batch()) {
        shared([&] { return compute(first, std::min(probe_.batch(), set.rows() - first)); });
      }
    };
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      each_block(classes_[k], [&](Index first, Index count) {
        return probe_.gradients(classes_[k], first, count, config_.classes[k].target);
      });
    }
    for (ExampleFiles& set : sets_) {
      each_block(set, [&](Index first, Index count) { return probe_.activations(set, first, count); });
    }
    return {};
  }

  void report(const std::string& stage, Index done, Index total) const {
    if (progress_) progress_(stage, done, total);
  }

  void open_sets() {
    for (const experiment::ClassSet& set : config_.classes) {
      if (set.target >= probe_.model().logit_count()) {
        fail_argument("run", fmt::format("class '{}' has index {}, must be below {}, the number of logits",
                                         set.name, set.target, probe_.model().logit_count()));
      }
      classes_.push_back(probe_.open(fmt::format("class '{}'", set.name), set.path));
      names_.classes.push_back({set.name, classes_.back().rows()});
    }
    sets_.push_back(probe_.open("random", config_.random));
    for (const experiment::ExampleSet& set : config_.concepts) {
      sets_.push_back(probe_.open(fmt::format("concept '{}'", set.name), set.path));
    }
    for (const ExampleFiles& set : sets_)
      check_at_least("run", "number of examples of " + set.role(), set.rows(), 2);
  }

  void probe_gradients() {
    Index total = 0;
    for (const ExampleFiles& set : classes_) total += set.rows();
    for (std::size_t layer = 0; layer < config_.layers.size(); ++layer) {
      gradients_.emplace_back(total, probe_.columns(layer));
    }
    Index done = 0;
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      for (Index first = 0; first < classes_[k].rows(); first += probe_.batch()) {
        const Index count = std::min(probe_.batch(), classes_[k].rows() - first);
        const std::vector<MatrixF> blocks =
            shared([&] { return probe_.gradients(classes_[k], first, count, config_.classes[k].target); });
        for (std::size_t layer = 0; layer < blocks.size(); ++layer) {
          check_finite("run", fmt::format("gradient of {} at {}", classes_[k].role(), config_.layers[layer]),
                       MatrixFRef(blocks[layer]), first);
          gradients_[layer].middleRows(done, count) = blocks[layer];
        }
        done += count;
        report("gradients", done, total);
      }
    }
  }

  std::vector<span::Pass> stream_examples() {
    std::vector<span::SetShape> shapes;
    Index total = 0;
    Index smallest = sets_.front().rows();
    for (const ExampleFiles& set : sets_) {
      shapes.push_back({set.role(), set.rows(), nullptr});
      total += set.rows();
      smallest = std::min(smallest, set.rows());
    }
    const span::PassOptions options = experiment::pass_options(scored_.options, smallest);
    std::vector<std::unique_ptr<span::PassBuilder>> builders;
    for (const MatrixF& gradients : gradients_) {
      builders.push_back(std::make_unique<span::PassBuilder>(gradients, shapes, options));
    }
    // One block is added up while the next is in the network; leaving this scope waits for it.
    std::vector<MatrixF> in_hand;
    std::future<void> adding;
    Index done = 0;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      for (Index first = 0; first < sets_[s].rows(); first += probe_.batch()) {
        const Index count = std::min(probe_.batch(), sets_[s].rows() - first);
        std::vector<MatrixF> blocks = shared([&] { return probe_.activations(sets_[s], first, count); });
        if (adding.valid()) adding.get();
        in_hand = std::move(blocks);
        adding = std::async(std::launch::async, [&builders, &in_hand, s] {
          for (std::size_t layer = 0; layer < builders.size(); ++layer) {
            builders[layer]->add(static_cast<Index>(s), in_hand[layer]);
          }
        });
        done += count;
        report("examples", done, total);
      }
    }
    adding.get();
    std::vector<span::Pass> passes;
    passes.reserve(builders.size());
    for (auto& builder : builders) passes.push_back(builder->finish());
    return passes;
  }

  void analyse_layers(const std::vector<span::Pass>& passes) {
    const auto tests = static_cast<Index>(names_.concepts.size() + names_.relative.size());
    const Index total = tests * static_cast<Index>(names_.classes.size() * passes.size());
    Index finished = 0;
    report("analyse", 0, total);
    for (std::size_t layer = 0; layer < passes.size(); ++layer) {
      names_.layer = config_.layers[layer];
      experiment::LayerResults found =
          experiment::analyse_pass(passes[layer], gradients_[layer], names_, scored_.options,
                                   [&] { report("analyse", ++finished, total); });
      std::move(found.results.begin(), found.results.end(), std::back_inserter(scored_.results));
      scored_.entanglement.push_back(std::move(found.entanglement));
    }
    experiment::correct_for_multiple_tests(scored_.results);
  }

  // One tensor a layer, "layer3/striped": what a steering or a bottleneck experiment starts from.
  void save_directions(const std::vector<span::Pass>& passes) const {
    std::vector<MatrixF> directions;
    directions.reserve(passes.size());
    for (std::size_t layer = 0; layer < passes.size(); ++layer) {
      directions.push_back(
          span::cav_directions(passes[layer], gradients_[layer], config_.options.cav).cast<float>());
    }
    std::map<std::string, io::TensorView> tensors;
    for (std::size_t layer = 0; layer < passes.size(); ++layer) {
      for (std::size_t c = 0; c < names_.concepts.size(); ++c) {
        const std::span row(directions[layer].row(static_cast<Index>(c)).data(),
                            static_cast<std::size_t>(passes[layer].dimension));
        tensors.emplace(fmt::format("{}/{}", config_.layers[layer], names_.concepts[c]),
                        io::TensorView(row, {passes[layer].dimension}));
      }
    }
    io::write_safetensors(config_.save_cavs, tensors,
                          {{"atcav", kVersion},
                           {"cav", std::string(stats::name(config_.options.cav.method))},
                           {"model", probe_.model_hash()},
                           {"towards", "the concept"}});
  }

  void describe() {
    scored_.inputs.push_back({"model", config_.model, probe_.model_hash(), {}});
    for (const auto* list : {&sets_, &classes_}) {
      for (const ExampleFiles& set : *list) scored_.inputs.push_back(set.describe());
    }
    scored_.setup = experiment::write_config(without_what_changes_no_result(config_));
    scored_.examples_run = probe_.examples_run();
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      std::vector<std::string> files;
      for (Index row = 0; row < classes_[k].rows(); ++row) files.push_back(classes_[k].inputs().file(row));
      if (!files.front().empty()) scored_.class_files[config_.classes[k].name] = std::move(files);
    }
    for (const std::string& note : probe_.model().notes()) scored_.notes.push_back(note);
    add_file_notes();
    if (probe_.cache() != nullptr) scored_.remarks = cache_remarks(*probe_.cache());
  }

  // What is wrong with a set concerns every result that uses it.
  void add_file_notes() {
    const auto add = [this](const std::vector<std::string>& sentences) {
      scored_.notes.insert(scored_.notes.end(), sentences.begin(), sentences.end());
    };
    for (const auto* list : {&sets_, &classes_}) {
      for (const ExampleFiles& set : *list) {
        add(copies_within(set));
        if (!set.inputs().bad().empty()) {
          add({fmt::format("{} unreadable files of {} were left out (e.g. {})", set.inputs().bad().size(),
                           set.role(), set.inputs().bad().front().path)});
        }
      }
    }
    const std::span all(sets_);
    for (std::size_t i = 1; i < all.size(); ++i) {
      add(shared_files(all.first(1), all[i]));
      add(shared_files(all.subspan(1, i - 1), all[i]));
      add(shared_files(classes_, all[i]));
    }
    for (const ExampleFiles& set : classes_) add(shared_files(all.first(1), set));
  }

  const experiment::RunConfig& config_;
  const experiment::Progress& progress_;
  experiment::LayerNames names_;
  Probe probe_;
  experiment::Stopwatch watch_;
  Index turn_ = 0;  // blocks so far
  std::vector<ExampleFiles> classes_;
  std::vector<ExampleFiles> sets_;  // random, then the concepts
  std::vector<MatrixF> gradients_;  // one a layer, classes below each other
  experiment::Scored scored_;
};

}  // namespace

experiment::Scored run(const experiment::RunConfig& config, const experiment::Progress& progress) {
  check_config(config);
  return Runner(config, progress).run();
}

std::vector<experiment::LayerPass> run_passes(const experiment::RunConfig& config,
                                              const experiment::Progress& progress) {
  check_config(config);
  return Runner(config, progress).passes();
}

}  // namespace atcav::network
