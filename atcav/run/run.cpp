#include "atcav/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "atcav/base/check.h"
#include "atcav/base/version.h"
#include "atcav/comm/comm.h"
#include "atcav/run/analyse.h"
#include "atcav/run/analyse_pass.h"
#include "atcav/run/stopwatch.h"
#include "atcav/io/safetensors.h"
#include "atcav/run/class_inputs.h"
#include "atcav/run/describe.h"
#include "atcav/run/run_given.h"
#include "atcav/span/entanglement.h"
#include "atcav/span/pass_builder.h"

namespace atcav {
namespace {

void check_config(const Config& config) {
  if (config.model.empty()) fail_argument("run", "no model was given");
  if (config.random.empty()) fail_argument("run", "no random examples were given");
  check_at_least("run", "number of layers", static_cast<Index>(config.layers.size()), 1);
  check_classes(config);
  check_at_least("run", "number of concepts", static_cast<Index>(config.concepts.size()), 1);
  std::set<std::string> concepts;
  for (const ExampleSet& set : config.concepts) {
    if (!concepts.insert(set.name).second)
      fail_argument("run", fmt::format("the concept '{}' is given twice", set.name));
  }
}

LayerNames names_of(const Config& config) {
  LayerNames names;
  for (const ExampleSet& set : config.concepts) names.concepts.push_back(set.name);
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

// Everything a run holds while it goes on.
class Runner {
 public:
  Runner(const Config& config, const Progress& progress)
      : config_(config),
        progress_(progress),
        names_(names_of(config)),
        probe_(config),
        turns_(config.layers.size()) {}

  RunResult run() {
    scored_.options = checked(config_.options);
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

  std::vector<LayerPass> passes() {
    scored_.options = checked(config_.options);
    open_sets();
    probe_gradients();
    std::vector<span::Pass> passes = stream_examples();
    std::vector<LayerPass> found;
    for (std::size_t layer = 0; layer < passes.size(); ++layer) {
      names_.layer = config_.layers[layer];
      found.push_back({names_, std::move(gradients_[layer]), std::move(passes[layer])});
    }
    return found;
  }

 private:
  // What ranks other than 0 do: their share of the blocks, in the order in which rank 0 asks for them.
  RunResult serve() {
    class_gradients(config_, probe_, classes_, turns_, {});
    for (ExampleFiles& set : sets_) {
      for (Index first = 0; first < set.rows(); first += probe_.batch()) {
        const Index count = std::min(probe_.batch(), set.rows() - first);
        turns_.next([&] { return probe_.activations(set, first, count); });
      }
    }
    return {};
  }

  void report(const std::string& stage, Index done, Index total) const {
    if (progress_) progress_(stage, done, total);
  }

  void open_sets() {
    classes_ = open_classes(config_, probe_);
    for (std::size_t k = 0; k < classes_.size(); ++k)
      names_.classes.push_back({config_.classes[k].name, classes_[k].rows()});
    sets_.push_back(probe_.open("random", config_.random));
    for (const ExampleSet& set : config_.concepts) {
      sets_.push_back(probe_.open(fmt::format("concept '{}'", set.name), set.path));
    }
    for (const ExampleFiles& set : sets_)
      check_at_least("run", "number of examples of " + set.role(), set.rows(), 2);
  }

  void probe_gradients() { gradients_ = class_gradients(config_, probe_, classes_, turns_, progress_); }

  std::vector<span::Pass> stream_examples() {
    std::vector<span::SetShape> shapes;
    Index total = 0;
    Index smallest = sets_.front().rows();
    for (const ExampleFiles& set : sets_) {
      shapes.push_back({set.role(), set.rows(), nullptr});
      total += set.rows();
      smallest = std::min(smallest, set.rows());
    }
    const span::PassOptions options = pass_options(scored_.options, smallest);
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
        std::vector<MatrixF> blocks = turns_.next([&] { return probe_.activations(sets_[s], first, count); });
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
      LayerResults found =
          analyse_pass(passes[layer], gradients_[layer], names_, scored_.options,
                                   [&] { report("analyse", ++finished, total); });
      std::move(found.results.begin(), found.results.end(), std::back_inserter(scored_.results));
      scored_.entanglement.push_back(std::move(found.entanglement));
    }
    correct_for_multiple_tests(scored_.results);
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
    RunResult about = describe_run(config_, probe_, sets_, classes_);
    about.options = std::move(scored_.options);
    about.results = std::move(scored_.results);
    about.entanglement = std::move(scored_.entanglement);
    about.seconds = std::move(scored_.seconds);
    scored_ = std::move(about);
    add_shared_file_notes();
  }

  // What is in two sets concerns every result that uses them.
  void add_shared_file_notes() {
    const auto add = [this](const std::vector<std::string>& sentences) {
      scored_.notes.insert(scored_.notes.end(), sentences.begin(), sentences.end());
    };
    const std::span all(sets_);
    for (std::size_t i = 1; i < all.size(); ++i) {
      add(shared_files(all.first(1), all[i]));
      add(shared_files(all.subspan(1, i - 1), all[i]));
      add(shared_files(classes_, all[i]));
    }
    for (const ExampleFiles& set : classes_) add(shared_files(all.first(1), set));
  }

  const Config& config_;
  const Progress& progress_;
  LayerNames names_;
  Probe probe_;
  Stopwatch watch_;
  BlockTurns turns_;
  std::vector<ExampleFiles> classes_;
  std::vector<ExampleFiles> sets_;  // random, then the concepts
  std::vector<MatrixF> gradients_;  // one a layer, classes below each other
  RunResult scored_;
};

}  // namespace

RunResult run(const Config& config, const Progress& progress) {
  if (!config.cavs.empty()) return run_given(config, progress);
  check_config(config);
  return Runner(config, progress).run();
}

std::vector<LayerPass> run_passes(const Config& config,
                                              const Progress& progress) {
  check_config(config);
  return Runner(config, progress).passes();
}

}  // namespace atcav
