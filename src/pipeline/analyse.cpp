#include "pipeline/analyse.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include "core/memory.h"
#include "core/stopwatch.h"
#include "fit/directions.h"
#include "fit/max_t.h"
#include "pass/pass_memory.h"
#include "pass/product.h"
#include "pipeline/check_config.h"
#include "pipeline/concept_regions.h"
#include "pipeline/copies_notes.h"
#include "pipeline/corrections.h"
#include "pipeline/interventions.h"
#include "pipeline/layer_analysis.h"
#include "pipeline/score_labels.h"
#include "pipeline/verdict.h"
#include "pipeline/warnings.h"

namespace atcav {
namespace {

constexpr Index kFolds = 5;
constexpr Index kLeastBlocks = 60;

// Beyond this cosines between them would be most of what a run writes.
constexpr Index kMostCosines = 1000;

// Scores of relabellings and resamples are kept by input; resamples are ranked in two copies.
void check_refits(const LayerNames& names, const Options& options) {
  const Index inputs = std::ranges::max(names.classes, {}, &LayerNames::Class::inputs).inputs;
  const auto refits = static_cast<double>(options.permutations + 3 * options.bootstrap);
  check_memory("analyse",
               fmt::format("{} relabellings and {} resamples of {} inputs", options.permutations,
                           options.bootstrap, inputs),
               sizeof(double) * static_cast<double>(inputs) * refits, memory_budget(options.memory));
}

// Called once at first and then after each result.
std::function<void()> counter(const Progress& progress, Index total) {
  struct Count {
    std::mutex telling;
    Index done = 0;
  };
  return [&progress, total, count = std::make_shared<Count>()] {
    const std::lock_guard lock(count->telling);
    if (progress) progress("analyse", count->done++, total);
  };
}

void give_corrections(RunResult& run, const fit::LargestT& largest) {
  correct_for_multiple_tests(run.results, largest, run.options);
  correct_interventions(run.results);
  correct_regions(run.results);
  for (Result& result : run.results) result.verdict = judge(result, run.options.level);
}

std::string left_out_cosines(const std::string& layer, Index concepts) {
  return fmt::format("{}: cosines between {} directions are left out, as of more than {}", layer, concepts,
                     kMostCosines);
}

}  // namespace

pass::PassOptions pass_options(const Options& options, Index smallest_set) {
  pass::PassOptions pass;
  pass.gram = options.regions || !stats::is_mean_difference(options.cav.method);
  pass.moments_only = options.moments_only;
  pass.blocks = options.runs * ((kLeastBlocks + options.runs - 1) / options.runs);
  pass.folds = std::min(kFolds, smallest_set);
  pass.threads = options.threads;
  return pass;
}

double layer_bytes(Index inputs, Index d, Index examples, Index sets, const pass::PassOptions& options) {
  return sizeof(float) * static_cast<double>(inputs) * static_cast<double>(d) +
         pass::pass_bytes(inputs, d, examples, sets, options);
}

double AnalysedLayer::first_order(std::size_t of_class, const Eigen::VectorXf& direction) const {
  Index first = 0;
  for (std::size_t k = 0; k < of_class; ++k) first += data.names.classes[k].inputs;
  const Index inputs = data.names.classes[of_class].inputs;
  const Vector mean = data.gradients.middleRows(first, inputs).cast<double>().colwise().mean();
  return mean.dot(direction.cast<double>());
}

RunResult analyse(std::span<const LayerData> layers, RunInfo about, const Progress& progress, bool keep_cavs,
                  const OnLayer& on_layer) {
  RunResult run{std::move(about), {}, {}, {}, {}, {}};
  run.options = checked(run.options);
  run.libraries.merge(pass::product_libraries());
  const auto has_examples = [](const LayerData& layer) { return layer.pass || layer.pool; };
  if (std::ranges::any_of(layers, has_examples)) {
    for (std::string& note : unused_choices(run.options)) run.notes.push_back(std::move(note));
  }
  for (std::string& note : copies_notes(layers, run.options.threads)) run.notes.push_back(std::move(note));
  std::vector<std::string> layer_names;
  Index total = 0;
  for (const LayerData& layer : layers) {
    check_names(layer.names, layer.labels != nullptr);
    if (layer.pass) check_refits(layer.names, run.options);
    layer_names.push_back(layer.names.layer);
    total += (has_concepts(layer) ? std::ssize(tests_of(layer.names)) : 0) * std::ssize(layer.names.classes);
    if (layer.labels) total += std::ssize(layer.labels->columns) * std::ssize(layer.names.classes);
  }
  check_different_layers(layer_names);

  Stopwatch watch;
  fit::LargestT largest;
  const std::function<void()> tell = counter(progress, total);
  tell();
  for (const LayerData& layer : layers) {
    if (has_concepts(layer)) {
      LayerAnalysis analysis(layer, run.options, largest);
      std::vector<Result> results = analysis.results(tell);
      if (on_layer)
        on_layer({layer, results, [&analysis](Index test) { return analysis.direction(test); },
                  [&analysis] { return analysis.steps(); }, analysis.sets()});
      std::move(results.begin(), results.end(), std::back_inserter(run.results));
      if (std::ssize(layer.names.concepts) <= kMostCosines)
        run.entanglement.push_back(analysis.entanglement());
      else
        run.notes.push_back(left_out_cosines(layer.names.layer, std::ssize(layer.names.concepts)));
      if (keep_cavs) run.cavs.push_back(analysis.cavs());
    }
    if (layer.pool) {
      std::vector<Result> results = score_labels(layer, run.options, tell);
      std::move(results.begin(), results.end(), std::back_inserter(run.results));
    }
  }
  give_corrections(run, largest);
  watch.lap("analyse");
  run.seconds.insert(run.seconds.end(), watch.seconds().begin(), watch.seconds().end());
  return run;
}

RunResult analyse(const LayerParts& parts, RunInfo about, const Progress& progress) {
  RunResult run{std::move(about), {}, {}, {}, {}, {}};
  run.options = checked(run.options);
  run.libraries.merge(pass::product_libraries());
  for (std::string& note : unused_choices(run.options)) run.notes.push_back(std::move(note));
  Stopwatch watch;
  fit::LargestT largest;
  std::function<void()> tell;
  std::vector<std::vector<Result>> found;  // by part: tests within classes
  Entanglement together;
  Matrix directions;
  std::size_t classes = 0;
  for (Index p = 0; p < parts.count; ++p) {
    const LayerData part = parts.make(p);
    classes = part.names.classes.size();
    if (p == 0) {
      tell = counter(progress, parts.concepts * static_cast<Index>(classes));
      tell();
      check_refits(part.names, run.options);
      together.layer = part.names.layer;
    }
    for (std::string& note : copies_notes({&part, 1}, run.options.threads)) {
      if (std::ranges::find(run.notes, note) == run.notes.end()) run.notes.push_back(std::move(note));
    }
    LayerAnalysis analysis(part, run.options, largest);
    found.push_back(analysis.results(tell));
    const auto& names = part.names.concepts;
    together.concepts.insert(together.concepts.end(), names.begin(), names.end());
    if (parts.concepts > kMostCosines) continue;
    directions.conservativeResize(std::ssize(together.concepts), part.gradients.cols());
    directions.bottomRows(std::ssize(names)) = analysis.directions();
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::vector<Result>& own : found) {
      const auto tests = std::ssize(own) / static_cast<std::ptrdiff_t>(classes);
      const auto first = own.begin() + static_cast<std::ptrdiff_t>(k) * tests;
      std::move(first, first + tests, std::back_inserter(run.results));
    }
  }
  found.clear();
  if (parts.concepts <= kMostCosines) {
    together.cosines = fit::cosines_between(directions * directions.transpose());
    run.entanglement.push_back(std::move(together));
  } else {
    run.notes.push_back(left_out_cosines(together.layer, parts.concepts));
  }
  give_corrections(run, largest);
  watch.lap("analyse");
  run.seconds.insert(run.seconds.end(), watch.seconds().begin(), watch.seconds().end());
  return run;
}

}  // namespace atcav
