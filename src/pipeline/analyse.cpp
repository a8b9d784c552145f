#include "pipeline/analyse.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "atcav/random.h"
#include "core/check.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "fit/directions.h"
#include "fit/fit_refitter.h"
#include "fit/fit_rows.h"
#include "fit/held_out.h"
#include "fit/inputs_refitter.h"
#include "fit/max_t.h"
#include "fit/mean_gradient.h"
#include "fit/noise.h"
#include "fit/stability.h"
#include "pass/product.h"
#include "pipeline/check_config.h"
#include "pipeline/copies_notes.h"
#include "pipeline/corrections.h"
#include "pipeline/given_directions.h"
#include "pipeline/grouped_effect.h"
#include "pipeline/interventions.h"
#include "pipeline/logit_difference.h"
#include "pipeline/score_concept.h"
#include "pipeline/score_labels.h"
#include "pipeline/verdict.h"
#include "pipeline/warnings.h"

namespace atcav {
namespace {

// Which set of the pass is tested against which.
struct Test {
  std::string name;
  Index concept_set;
  Index random_set;
};

std::vector<Test> tests_of(const LayerNames& names) {
  std::vector<Test> tests;
  for (std::size_t i = 0; i < names.concepts.size(); ++i)
    tests.push_back({names.concepts[i], static_cast<Index>(i) + 1, 0});
  for (const auto& [first, second] : names.relative) {
    tests.push_back(
        {fmt::format("{} vs {}", names.concepts[first], names.concepts[second]), first + 1, second + 1});
  }
  return tests;
}

// Beyond this cosines between them would be most of what a run writes.
constexpr Index kMostCosines = 1000;

// Besides a pool, or without one.
bool has_concepts(const LayerData& layer) { return layer.pass || layer.directions.rows() > 0; }

// Scores of relabellings and resamples are kept by input; resamples are ranked in two copies.
void check_refits(const LayerNames& names, const Options& options) {
  const Index inputs = std::ranges::max(names.classes, {}, &LayerNames::Class::inputs).inputs;
  const auto refits = static_cast<double>(options.permutations + 3 * options.bootstrap);
  check_memory("analyse",
               fmt::format("{} relabellings and {} resamples of {} inputs", options.permutations,
                           options.bootstrap, inputs),
               sizeof(double) * static_cast<double>(inputs) * refits, memory_budget(options.memory));
}

// One layer at a time: its tests within its classes.
class LayerAnalysis {
 public:
  LayerAnalysis(const LayerData& data, const Options& options, fit::LargestT& largest)
      : data_(data), options_(options), largest_(largest), tests_(tests_of(data.names)) {
    Index first = 0;
    for (const LayerNames::Class& of_class : data.names.classes) {
      first_rows_.push_back(first);
      first += of_class.inputs;
    }
    check_same("analyse", "rows", "the gradients", data.gradients.rows(), "the classes", first);
    for (std::size_t k = 0; k < data.names.classes.size(); ++k)
      zero_gradients_.push_back(count_zero_gradients(k));
    if (!data.pass) {
      given_.emplace(data_, options_);
      directions_ = data_.directions;
    } else if (stats::is_mean_difference(options.cav.method)) {
      directions_ = fit::mean_directions(*data.pass, false);
    } else {
      fitted_ = true;
      directions_.resize(std::ssize(data.names.concepts), fit::layer_coordinates(*data.pass));
    }
    if (data.pass) prepare_shared();
  }

  Index size() const { return static_cast<Index>(tests_.size() * data_.names.classes.size()); }

  // Fits take memory and share their threads among refits: one test at a time, for all classes. All else is
  // small: one result per thread, and few results leave threads for the refits within each.
  std::vector<Result> results(const std::function<void()>& one_done) {
    const Index tests = std::ssize(tests_);
    std::vector<Result> found(static_cast<std::size_t>(size()));
    if (fitted_) {
      for (Index test = 0; test < tests; ++test) {
        const Fit fit = fit_test(test);
        for (Index i = test; i < size(); i += tests) {
          found[i] = result(i, options_, &fit);
          one_done();
        }
      }
      return found;
    }
    const int all = options_.threads > 0 ? options_.threads : available_threads();
    Options each = options_;
    each.threads = std::max(1, static_cast<int>(all / std::max<Index>(size(), 1)));
    parallel_for(size(), options_.threads, [&](Index i) {
      found[i] = result(i, each, nullptr);
      one_done();
    });
    return found;
  }
  // One row per test.
  MatrixF steps() const {
    const Matrix directions = fitted_ ? fit::mean_directions(*data_.pass, false) : directions_;
    MatrixF steps(std::ssize(tests_), directions.cols());
    for (Index t = 0; t < steps.rows(); ++t) {
      steps.row(t) = directions.row(tests_[t].concept_set - 1).cast<float>();
      if (tests_[t].random_set > 0)
        steps.row(t) = (directions.row(tests_[t].concept_set - 1) - directions.row(tests_[t].random_set - 1))
                           .cast<float>();
    }
    return steps;
  }

  std::vector<std::pair<Index, Index>> sets() const {
    std::vector<std::pair<Index, Index>> sets;
    for (const Test& test : tests_) sets.emplace_back(test.concept_set, test.random_set);
    return sets;
  }

  Entanglement entanglement() const {
    const Matrix inner =
        fitted_ ? fit::inner_products(*data_.pass, directions_) : directions_ * directions_.transpose();
    return {data_.names.layer, data_.names.concepts, fit::cosines_between(inner)};
  }

  // What the gradients are multiplied with; once all results are there.
  Vector direction(Index which) const {
    const Test& test = tests_[which];
    if (fitted_) {
      if (test.random_set > 0) return {};
      return fit::expand(*data_.pass, directions_.row(test.concept_set - 1), options_.threads).row(0);
    }
    return data_.pass ? step(test) / step_of_means(test) : step(test);
  }

  LayerCavs cavs() const {
    Matrix directions = directions_;
    if (fitted_) directions = fit::expand(*data_.pass, directions_, options_.threads);
    if (data_.pass && options_.cav.method == stats::CavMethod::kFast)
      directions = fit::mean_directions(*data_.pass, true);
    LayerCavs cavs{data_.names.layer, data_.names.concepts, directions.cast<float>()};
    if (data_.pass) {
      cavs.steps = fit::mean_directions(*data_.pass, false).cast<float>();
      cavs.random_mean = fit::random_mean(*data_.pass).cast<float>();
    }
    return cavs;
  }

 private:
  // Of a fitted method.
  struct Fit {
    std::shared_ptr<const fit::SharedRefits> refits;  // over the inputs of all classes
    pass::HeldOutScores held_out;
    double step = 1;
    DirectionStability stability;
  };

  Result result(Index i, const Options& options, const Fit* fit) const {
    const auto count = std::ssize(tests_);
    const Test& test = tests_[i % count];
    const auto of_class = static_cast<std::size_t>(i / count);
    Result result = data_.pass ? scored(evidence_for(i % count, of_class, options, fit), of_class, options)
                               : given_->result(i % count, of_class, zero_gradients_[of_class]);
    result.concept_name = test.name;
    result.class_name = data_.names.classes[of_class].name;
    result.layer = data_.names.layer;
    result.tensor = data_.names.tensor;
    result.dimension = data_.gradients.cols();
    result.top_share = data_.names.classes[of_class].top_share;
    result.logits = logit_difference(test, of_class);
    if (result.examples) {
      add_scored_rows(result.examples->accuracy, test);
      result.examples->stability = fit != nullptr ? fit->stability : stability_[i % count];
    }
    for (std::string& warning : top_class_warnings(result)) result.warnings.push_back(std::move(warning));
    return result;
  }

  Result scored(const Evidence& evidence, std::size_t of_class, const Options& options) const {
    Result result = score_concept(evidence, options);
    const Vector t = relabelled_use(evidence, result, data_.names.classes[of_class].name, options);
    if (t.size() > 0) {
      largest_.add(t);
      result.examples->significance.max_t = 1;  // until all are there
    }
    return result;
  }

  // Fitted methods score every row.
  void add_scored_rows(Accuracy& accuracy, const Test& test) const {
    std::vector<Index> rows = data_.pass->sets[test.concept_set].held_out.rows;
    if (fitted_) {
      rows.resize(accuracy.concept_scores.size());
      std::iota(rows.begin(), rows.end(), 0);
    }
    if (rows.size() == accuracy.concept_scores.size()) accuracy.concept_rows = std::move(rows);
  }

  std::optional<LogitDifference> logit_difference(const Test& test, std::size_t of_class) const {
    if (!data_.logits) return std::nullopt;
    const auto of_set = [&](Index set) {
      return Vector((*data_.logits)[set].col(static_cast<Index>(of_class)));
    };
    const Vector concept_rows = of_set(test.concept_set);
    const Vector random = of_set(test.random_set);
    if (concept_rows.hasNaN()) return std::nullopt;
    return difference_of_logits(concept_rows, random, options_.level, options_.pairs);
  }

  // The same for every class. Fitted methods score held-out rows with their own refits.
  void prepare_shared() {
    kinship_ = gradient_kinship(data_, options_.threads);
    if (fitted_) return;
    for (const Test& test : tests_) {
      held_out_.push_back(
          fit::held_out_scores(*data_.pass, test.concept_set, test.random_set, options_.threads));
      stability_.push_back(fit::mean_stability(*data_.pass, test.concept_set, test.random_set));
    }
  }

  // From its random mean to its concept mean, or the direction that was given; not for fitted methods.
  Vector step(const Test& test) const {
    Vector step = directions_.row(test.concept_set - 1).transpose();
    if (test.random_set > 0) step -= directions_.row(test.random_set - 1).transpose();
    return step;
  }
  // fast is pattern, shortened by the share of random examples.
  double step_of_means(const Test& test) const {
    if (options_.cav.method != stats::CavMethod::kFast) return 1;
    const auto count = [&](Index set) {
      return static_cast<double>(data_.pass->sets[set].projections.count());
    };
    return 1 + count(test.concept_set) / count(test.random_set);
  }

  Index inputs(std::size_t of_class) const { return data_.names.classes[of_class].inputs; }
  // Looks no further than the first number of a row that is not 0.
  Index count_zero_gradients(std::size_t of_class) const {
    Index zero = 0;
    for (Index row = first_rows_[of_class]; row < first_rows_[of_class] + inputs(of_class); ++row) {
      const auto values = data_.gradients.row(row);
      zero += std::ranges::all_of(values, [](float value) { return value == 0; }) ? 1 : 0;
    }
    return zero;
  }

  Evidence evidence_for(Index which, std::size_t of_class, const Options& options, const Fit* fit) const {
    const Test& test = tests_[which];
    Evidence evidence;
    evidence.concept_name = test.name;
    evidence.zero_gradients = zero_gradients_[of_class];
    evidence.n_random = data_.pass->sets[test.random_set].projections.count();
    evidence.n_concept = data_.pass->sets[test.concept_set].projections.count();
    evidence.kinship = kinship_[of_class];
    pass::Projections random_rows = own(test.random_set, of_class, options.threads);
    pass::Projections concept_rows = own(test.concept_set, of_class, options.threads);
    evidence.spread =
        options.pairs ? fit::paired_spread(random_rows, concept_rows) : fit::random_spread(random_rows);
    evidence.spread_of_concept = fit::random_spread(concept_rows);
    if (data_.logits) {
      const Vector logits = (*data_.logits)[test.random_set].col(static_cast<Index>(of_class));
      const Vector along = random_rows.values.colwise().mean().transpose();
      if (!logits.hasNaN())
        evidence.spread_of_logit = spread_of_logit(logits, options.moments_only ? Vector() : along);
    }
    if (!fitted_ && !options.moments_only) {
      evidence.dealt = dealt_sets(random_rows.values.colwise().mean().transpose(),
                                  concept_rows.values.colwise().mean().transpose(),
                                  groups_of_set(test.random_set), groups_of_set(test.concept_set));
    }
    add_mean_difference(evidence, std::move(random_rows), std::move(concept_rows), options);
    if (data_.groups) add_grouped(evidence, test, of_class, options);
    if (fit != nullptr) {
      add_fit(evidence, *fit, of_class, options);
    } else {
      evidence.step = step_of_means(test);
      evidence.held_out = held_out_[static_cast<std::size_t>(which)];
    }
    return evidence;
  }

  pass::Projections own(Index set, std::size_t of_class, int threads) const {
    return data_.pass->sets[set].projections.inputs(first_rows_[of_class], inputs(of_class), threads);
  }

  static void add_mean_difference(Evidence& evidence, pass::Projections random_rows,
                                  pass::Projections concept_rows, const Options& options) {
    const bool fast = options.cav.method == stats::CavMethod::kFast;
    evidence.means = std::make_shared<fit::MeanRefitter>(random_rows, concept_rows, fast, options.threads);
    if (options.moments_only) {
      evidence.random_moments = std::make_shared<pass::Projections>(random_rows);
      evidence.concept_moments = std::make_shared<pass::Projections>(concept_rows);
    }
    evidence.refitter = evidence.means;
    if (options.pairs)
      evidence.noise =
          std::make_shared<fit::PairedNoise>(random_rows, concept_rows, fast, evidence.means->full());
    else
      evidence.noise = std::make_shared<fit::ClosedFormNoise>(std::move(random_rows), std::move(concept_rows),
                                                              fast, evidence.means->full());
    evidence.mean_errors = evidence.noise->input_errors();
  }

  void add_grouped(Evidence& evidence, const Test& test, std::size_t of_class, const Options& options) const {
    const RowGroups& names = *data_.groups;
    const Groups inputs = names.classes.empty() ? Groups{} : groups_of(names.classes[of_class]);
    const std::vector<std::string> random = groups_of_set(test.random_set);
    const std::vector<std::string> concept_groups = groups_of_set(test.concept_set);
    if (random.empty() && inputs.empty()) return;
    evidence.grouped = effect_of_sets(own(test.random_set, of_class, options.threads),
                                      own(test.concept_set, of_class, options.threads), random,
                                      concept_groups, inputs, test.name, options.level);
    std::vector<std::string> all = random;
    all.insert(all.end(), concept_groups.begin(), concept_groups.end());
    if (!all.empty()) evidence.groups.examples = groups_of(all).count;
    if (!inputs.empty()) evidence.groups.inputs = inputs.count;
    evidence.input_groups = inputs;
  }
  std::vector<std::string> groups_of_set(Index set) const {
    if (!data_.groups || data_.groups->sets.empty()) return {};
    return data_.groups->sets[static_cast<std::size_t>(set)];
  }

  // In place of the difference of means, which stays beside it.
  void add_fit(Evidence& evidence, const Fit& fit, std::size_t of_class, const Options& options) const {
    evidence.refitter =
        std::make_shared<fit::InputsRefitter>(fit.refits, first_rows_[of_class], inputs(of_class));
    evidence.noise = std::make_shared<fit::JackknifeNoise>(
        *evidence.refitter, options.cav.method != stats::CavMethod::kSvm,
        fit::ResamplingOptions{options.seed, key_word(evidence.concept_name), options.threads,
                               options.pairs});
    evidence.noise_kind = IntervalKind::kJackknife;
    evidence.held_out = fit.held_out;
    evidence.step = fit.step;
  }

  // Its direction stays.
  Fit fit_test(Index which) {
    const Test& test = tests_[which];
    const int threads = options_.threads;
    const auto refitter = std::make_shared<fit::FitRefitter>(
        fit::fit_rows(*data_.pass, data_.gradients, test.random_set, test.concept_set,
                      options_.cav.has_intercept(), threads),
        data_.pass->sets[test.random_set].projections.count(), options_.cav, threads, /*in_steps=*/true);
    if (test.random_set == 0) {
      directions_.row(which) =
          fit::in_layer(*data_.pass, refitter->direction(), 0, test.concept_set).transpose();
    }
    return {std::make_shared<fit::SharedRefits>(refitter),
            refitter->held_out_scores(data_.pass->sets[0].held_out.folds, threads), refitter->step(),
            fit::fitted_stability(*refitter, {options_.seed, key_word(test.name), threads})};
  }

  const LayerData& data_;
  const Options& options_;
  fit::LargestT& largest_;  // over all layers
  std::vector<Test> tests_;
  std::vector<Index> first_rows_;             // of each class
  std::vector<Index> zero_gradients_;         // likewise
  std::vector<std::vector<Matrix>> kinship_;  // by class and group of inputs
  bool fitted_ = false;
  // One row per concept. Fitted ones are in the layer's coordinates (fit_rows.h), and come with the results.
  Matrix directions_;
  std::vector<pass::HeldOutScores> held_out_;  // by test, mean differences only
  std::vector<DirectionStability> stability_;  // likewise
  std::optional<GivenDirections> given_;
};

}  // namespace

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
  std::mutex telling;
  Index done = 0;
  const auto tell = [&] {
    const std::lock_guard lock(telling);
    if (progress) progress("analyse", done++, total);
  };
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
        run.notes.push_back(fmt::format("{}: cosines between {} directions are left out, as of more than {}",
                                        layer.names.layer, layer.names.concepts.size(), kMostCosines));
      if (keep_cavs) run.cavs.push_back(analysis.cavs());
    }
    if (layer.pool) {
      std::vector<Result> results = score_labels(layer, run.options, tell);
      std::move(results.begin(), results.end(), std::back_inserter(run.results));
    }
  }
  correct_for_multiple_tests(run.results, largest, run.options);
  correct_interventions(run.results);
  for (Result& result : run.results) result.verdict = judge(result, run.options.level);
  watch.lap("analyse");
  run.seconds.insert(run.seconds.end(), watch.seconds().begin(), watch.seconds().end());
  return run;
}

}  // namespace atcav
