#include "atcav/run/analyse_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "atcav/base/parallel.h"
#include "atcav/base/random.h"
#include "atcav/run/analyse.h"
#include "atcav/span/directions.h"
#include "atcav/span/held_out.h"
#include "atcav/span/noise.h"
#include "atcav/span/reduction.h"
#include "atcav/span/refit.h"

namespace atcav {
namespace {

constexpr Index kFolds = 5;
constexpr Index kLeastBlocks = 60;

// Row numbers and gradients of one class.
struct ClassRows {
  Index first;
  Index count;
};

// Which set is tested against which.
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

std::vector<ClassRows> rows_of(const LayerNames& names) {
  std::vector<ClassRows> rows;
  Index first = 0;
  for (const LayerNames::Class& of_class : names.classes) {
    rows.push_back({first, of_class.inputs});
    first += of_class.inputs;
  }
  return rows;
}

void add_mean_difference(Evidence& evidence, const span::Pass& pass, const Test& test, ClassRows rows,
                         const Options& options) {
  const bool fast = options.cav.method == stats::CavMethod::kFast;
  const span::Projections random = pass.sets[test.random_set].projections.inputs(rows.first, rows.count);
  const span::Projections positive = pass.sets[test.concept_set].projections.inputs(rows.first, rows.count);
  evidence.refitter = std::make_shared<span::MeanRefitter>(random, positive, fast);
  evidence.noise = std::make_shared<span::ClosedFormNoise>(random, positive, fast);
  if (options.moments_only) {
    evidence.random_moments = std::make_shared<span::Projections>(random);
    evidence.concept_moments = std::make_shared<span::Projections>(positive);
  }
}

void add_fit(Evidence& evidence, const span::Reduction& reduction, const Test& test, ClassRows rows,
             Index folds, const Options& options) {
  Matrix features(evidence.n_random + evidence.n_concept, reduction.features.cols());
  features << reduction.rows(test.random_set), reduction.rows(test.concept_set);
  const auto refitter = std::make_shared<span::FitRefitter>(
      std::move(features), reduction.gradients.middleRows(rows.first, rows.count), evidence.n_random,
      options.cav);
  evidence.noise = std::make_shared<span::JackknifeNoise>(
      *refitter, span::ResamplingOptions{options.seed, key_word(evidence.concept_name), options.threads});
  evidence.held_out = refitter->held_out_scores(folds);
  evidence.refitter = refitter;
}

}  // namespace

span::PassOptions pass_options(const Options& options, Index smallest_set) {
  span::PassOptions pass;
  pass.gram = !stats::is_mean_difference(options.cav.method);
  pass.moments_only = options.moments_only;
  pass.blocks = options.runs * ((kLeastBlocks + options.runs - 1) / options.runs);
  pass.folds = std::min(kFolds, smallest_set);
  pass.threads = options.threads;
  return pass;
}

LayerResults analyse_pass(const span::Pass& pass, const MatrixFRef& gradients, const LayerNames& names,
                          const Options& options, const std::function<void()>& done) {
  std::optional<span::Reduction> reduction;
  if (!stats::is_mean_difference(options.cav.method)) reduction = span::reduce(pass, gradients);
  LayerResults found;
  found.entanglement = {names.layer, names.concepts,
                        reduction ? span::cav_cosines(*reduction, options.cav) : span::cav_cosines(pass)};
  const std::vector<Test> tests = tests_of(names);
  const auto count = static_cast<Index>(tests.size());
  // The same for every class. Fitted methods score held-out rows with their own refits.
  std::vector<span::HeldOutScores> held_out(tests.size());
  for (std::size_t t = 0; t < tests.size() && !reduction; ++t) {
    held_out[t] = span::held_out_scores(pass, tests[t].concept_set, tests[t].random_set, options.threads);
  }
  const std::vector<ClassRows> classes = rows_of(names);
  found.results.resize(classes.size() * tests.size());
  // Mean differences are small: one result a thread. Fits need room and share their threads among refits.
  Options inner = options;
  if (!reduction) inner.threads = 1;
  std::mutex telling;
  parallel_for(static_cast<Index>(found.results.size()), reduction ? 1 : options.threads, [&](Index i) {
    const Test& test = tests[i % count];
    const ClassRows rows = classes[i / count];
    Evidence evidence;
    evidence.concept_name = test.name;
    evidence.class_name = names.classes[i / count].name;
    evidence.layer = names.layer;
    evidence.dimension = pass.dimension;
    const MatrixFRef own = gradients.middleRows(rows.first, rows.count);
    evidence.zero_gradients = (own.rowwise().lpNorm<Eigen::Infinity>().array() == 0).count();
    evidence.n_random = pass.sets[test.random_set].projections.count();
    evidence.n_concept = pass.sets[test.concept_set].projections.count();
    if (reduction) {
      add_fit(evidence, *reduction, test, rows, pass.sets[0].held_out.fold_counts.size(), inner);
    } else {
      add_mean_difference(evidence, pass, test, rows, inner);
      evidence.held_out = held_out[i % count];
    }
    found.results[i] = analyse(evidence, inner);
    const std::lock_guard lock(telling);
    done();
  });
  return found;
}

}  // namespace atcav
