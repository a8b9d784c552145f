#include "pipeline/layer_analysis.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"
#include "fit/directions.h"
#include "fit/fit_refitter.h"
#include "fit/fit_rows.h"
#include "fit/held_out.h"
#include "fit/inputs_refitter.h"
#include "fit/noise.h"
#include "pipeline/held_out_accuracy.h"
#include "pipeline/logit_difference.h"
#include "pipeline/warnings.h"

namespace atcav {

bool has_concepts(const LayerData& layer) { return layer.pass || layer.directions.rows() > 0; }

namespace {

// A thread keeps that many, 32 MB: relabelled and resampled sensitivities of a group of classes.
constexpr Index kGroupNumbers = Index{4} << 20;

}  // namespace

struct LayerAnalysis::Fit {
  std::shared_ptr<const fit::SharedRefits> refits;  // over the inputs of all classes
  pass::HeldOutScores held_out;
  std::shared_ptr<const Accuracy> accuracy;
  double step = 1;
  DirectionStability stability;
};

LayerAnalysis::LayerAnalysis(const LayerData& data, const Options& options, fit::LargestT& largest)
    : data_(data), options_(options), largest_(largest), tests_(tests_of(data.names)) {
  check_same("analyse", "rows", "the gradients", data.gradients.rows(), "the classes",
             data.names.first_input(data.names.classes.size()));
  for (std::size_t k = 0; k < data.names.classes.size(); ++k)
    zero_gradients_.push_back(data.zero_gradients(k));
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
  if (data.pass && options.regions) regions_.emplace(data_, options_);
}

std::vector<LayerAnalysis::ClassGroup> LayerAnalysis::class_groups() const {
  const auto most = static_cast<Index>(kGroupNumbers / (2 * options_.permutations + options_.bootstrap));
  std::vector<ClassGroup> groups;
  Index first = 0;
  for (std::size_t k = 0; k < data_.names.classes.size(); ++k) {
    if (groups.empty() || groups.back().inputs + inputs(k) > most) groups.push_back({k, k, first, 0});
    groups.back().end = k + 1;
    groups.back().inputs += inputs(k);
    first += inputs(k);
  }
  return groups;
}

// Of each class the normal numbers of its relabellings, which all tests share; none where they are too many.
std::vector<Matrix> LayerAnalysis::input_draws(const ClassGroup& group) const {
  if (options_.moments_only || group.inputs * options_.permutations > kGroupNumbers) return {};
  std::vector<Matrix> draws;
  for (std::size_t k = group.first; k < group.end; ++k) {
    draws.push_back(fit::input_draws(inputs(k), options_.permutations, options_.seed,
                                     key_word(data_.names.classes[k].name), options_.threads));
  }
  return draws;
}

std::vector<RandomSide> LayerAnalysis::random_sides(const ClassGroup& group) const {
  std::vector<RandomSide> sides(group.end - group.first);
  Options one = options_;
  one.threads = 1;
  parallel_for(std::ssize(sides), options_.threads, [&](Index k) {
    sides[k] = random_side(data_, 0, group.first + static_cast<std::size_t>(k), one);
  });
  return sides;
}

std::vector<Result> LayerAnalysis::results(const std::function<void()>& one_done) {
  const Index tests = std::ssize(tests_);
  std::vector<Result> found(static_cast<std::size_t>(size()));
  const auto add = [&](Index test, std::size_t of_class, const Options& options, const Known& known) {
    found[static_cast<Index>(of_class) * tests + test] = result(test, of_class, options, known);
    one_done();
  };
  if (!data_.pass) {
    parallel_for(size(), options_.threads, [&](Index i) { add(i % tests, i / tests, options_, {}); });
    return found;
  }
  if (fitted_) {
    for (Index test = 0; test < tests; ++test) {
      const Fit fit = fit_test(test);
      for (const ClassGroup& group : class_groups()) {
        const SharedTest shared = share_test(data_, tests_[test], group.first_input, group.inputs, options_);
        for (std::size_t k = group.first; k < group.end; ++k)
          add(test, k, options_, {.fit = &fit, .shared = &shared});
      }
      add_regions(test, fit.held_out, found);
    }
    return found;
  }
  const int all = options_.threads > 0 ? options_.threads : available_threads();
  for (const ClassGroup& group : class_groups()) {
    const std::vector<Matrix> draws = input_draws(group);
    const std::vector<RandomSide> random = random_sides(group);
    const auto classes = static_cast<Index>(group.end - group.first);
    Options each = options_;
    each.threads = std::max(1, static_cast<int>(all / tests));
    Options one = options_;
    one.threads = std::max(1, static_cast<int>(all / (tests * classes)));
    parallel_for(tests, options_.threads, [&](Index test) {
      const SharedTest shared = share_test(data_, tests_[test], group.first_input, group.inputs, each);
      shared.means->find(drawings_of(shared.means->all(), tests_[test].name, each), each.threads);
      parallel_for(classes, each.threads, [&](Index k) {
        add(test, group.first + static_cast<std::size_t>(k), one,
            {.shared = &shared,
             .draws = draws.empty() ? nullptr : &draws[k],
             .random = tests_[test].random_set == 0 ? &random[k] : nullptr});
      });
    });
  }
  for (Index test = 0; regions_ && test < tests; ++test) {
    const Test& of = tests_[static_cast<std::size_t>(test)];
    const auto linear = fit::held_out_scores(*data_.pass, of.concept_set, of.random_set, options_.threads);
    add_regions(test, linear, found);
  }
  return found;
}

void LayerAnalysis::add_regions(Index which, const pass::HeldOutScores& linear,
                                std::vector<Result>& results) const {
  if (!regions_) return;
  const std::vector<Region> regions = regions_->of_test(tests_[which], linear);
  for (std::size_t k = 0; k < regions.size(); ++k) results[which + k * tests_.size()].region = regions[k];
}

MatrixF LayerAnalysis::steps() const {
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

std::vector<std::pair<Index, Index>> LayerAnalysis::sets() const {
  std::vector<std::pair<Index, Index>> sets;
  for (const Test& test : tests_) sets.emplace_back(test.concept_set, test.random_set);
  return sets;
}

Entanglement LayerAnalysis::entanglement() const {
  const Matrix inner =
      fitted_ ? fit::inner_products(*data_.pass, directions_) : directions_ * directions_.transpose();
  return {data_.names.layer, data_.names.concepts, fit::cosines_between(inner)};
}

Vector LayerAnalysis::direction(Index which) const {
  const Test& test = tests_[which];
  if (fitted_) {
    if (test.random_set > 0) return {};
    return fit::expand(*data_.pass, directions_.row(test.concept_set - 1), options_.threads).row(0);
  }
  return data_.pass ? step(test) / step_of_means(*data_.pass, test, options_) : step(test);
}

LayerCavs LayerAnalysis::cavs() const {
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

Result LayerAnalysis::result(Index which, std::size_t of_class, const Options& options,
                             const Known& known) const {
  const Test& test = tests_[which];
  Result result = data_.pass ? scored(evidence_for(which, of_class, options, known), of_class, options)
                             : given_->result(which, of_class, zero_gradients_[of_class]);
  result.concept_name = test.name;
  result.class_name = data_.names.classes[of_class].name;
  result.layer = data_.names.layer;
  result.tensor = data_.names.tensor;
  result.dimension = data_.gradients.cols();
  result.top_share = data_.names.classes[of_class].top_share;
  result.logits = logit_difference(test, of_class);
  if (result.examples) {
    add_scored_rows(result.examples->accuracy, test);
    result.examples->stability = known.fit != nullptr ? known.fit->stability : stability_[which];
  }
  for (std::string& warning : top_class_warnings(result)) result.warnings.push_back(std::move(warning));
  return result;
}

Result LayerAnalysis::scored(const Evidence& evidence, std::size_t of_class, const Options& options) const {
  Result result = score_concept(evidence, options);
  const Vector t = relabelled_use(evidence, result, data_.names.classes[of_class].name, options);
  if (t.size() > 0) {
    largest_.add(t);
    result.examples->significance.max_t = 1;  // until all are there
  }
  return result;
}

// Fitted methods score every row.
void LayerAnalysis::add_scored_rows(Accuracy& accuracy, const Test& test) const {
  std::vector<Index> rows = data_.pass->sets[test.concept_set].held_out.rows;
  if (fitted_) {
    rows.resize(accuracy.concept_scores.size());
    std::iota(rows.begin(), rows.end(), 0);
  }
  if (rows.size() == accuracy.concept_scores.size()) accuracy.concept_rows = std::move(rows);
}

std::optional<LogitDifference> LayerAnalysis::logit_difference(const Test& test, std::size_t of_class) const {
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
void LayerAnalysis::prepare_shared() {
  kinship_ = gradient_kinship(data_, options_.threads);
  if (fitted_) return;
  for (const Test& test : tests_) {
    accuracy_.push_back(std::make_shared<Accuracy>(held_out_accuracy(
        fit::held_out_scores(*data_.pass, test.concept_set, test.random_set, options_.threads),
        options_.level)));
    const double r = fit::relative_variance(*data_.pass, test.concept_set, test.random_set);
    stability_.push_back({1 - r, r, {}});
  }
}

// From its random mean to its concept mean, or the direction that was given; not for fitted methods.
Vector LayerAnalysis::step(const Test& test) const {
  Vector step = directions_.row(test.concept_set - 1).transpose();
  if (test.random_set > 0) step -= directions_.row(test.random_set - 1).transpose();
  return step;
}

Evidence LayerAnalysis::evidence_for(Index which, std::size_t of_class, const Options& options,
                                     const Known& known) const {
  Evidence evidence = mean_evidence(data_, tests_[which], of_class, options, known.shared, known.random);
  evidence.kinship = kinship_[of_class];
  evidence.draws.inputs = known.draws;
  if (known.fit != nullptr)
    add_fit(evidence, *known.fit, of_class, options);
  else
    evidence.accuracy = accuracy_[static_cast<std::size_t>(which)];
  return evidence;
}

// In place of the difference of means, which stays beside it.
void LayerAnalysis::add_fit(Evidence& evidence, const Fit& fit, std::size_t of_class,
                            const Options& options) const {
  evidence.refitter =
      std::make_shared<fit::InputsRefitter>(fit.refits, data_.names.first_input(of_class), inputs(of_class));
  evidence.noise = std::make_shared<fit::JackknifeNoise>(
      *evidence.refitter, options.cav.method != stats::CavMethod::kSvm,
      fit::ResamplingOptions{options.seed, key_word(evidence.concept_name), options.threads, options.pairs});
  evidence.noise_kind = IntervalKind::kJackknife;
  evidence.accuracy = fit.accuracy;
  evidence.step = fit.step;
}

// Its direction stays.
LayerAnalysis::Fit LayerAnalysis::fit_test(Index which) {
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
  const double half = fit::split_half_cosine(*refitter, {options_.seed, key_word(test.name), threads});
  pass::HeldOutScores held_out = refitter->held_out_scores(data_.pass->sets[0].held_out.folds, threads);
  const auto accuracy = std::make_shared<Accuracy>(held_out_accuracy(held_out, options_.level));
  return {std::make_shared<fit::SharedRefits>(refitter),
          std::move(held_out),
          accuracy,
          refitter->step(),
          {fit::full_cosine(half), {}, half}};
}

}  // namespace atcav
