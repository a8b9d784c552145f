#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fit/max_t.h"
#include "fit/stability.h"
#include "pipeline/given_directions.h"
#include "pipeline/layer_data.h"
#include "pipeline/score_concept.h"

namespace atcav {

// Besides a pool, or without one.
bool has_concepts(const LayerData& layer);

// One layer whose concepts are sets of the pass or directions that were given: its tests within its classes.
class LayerAnalysis {
 public:
  // `largest` is over all layers.
  LayerAnalysis(const LayerData& data, const Options& options, fit::LargestT& largest);

  Index size() const { return static_cast<Index>(tests_.size() * data_.names.classes.size()); }

  // Fits take memory and share their threads among refits: one test at a time, for all classes. All else is
  // small: one result per thread, and few results leave threads for the refits within each.
  std::vector<Result> results(const std::function<void()>& one_done);

  // The rest once all results are there. One row per test:
  MatrixF steps() const;
  std::vector<std::pair<Index, Index>> sets() const;
  Entanglement entanglement() const;
  // What the gradients are multiplied with.
  Vector direction(Index which) const;
  LayerCavs cavs() const;

 private:
  struct Fit;  // of a fitted method

  Result result(Index i, const Options& options, const Fit* fit) const;
  Result scored(const Evidence& evidence, std::size_t of_class, const Options& options) const;
  void add_scored_rows(Accuracy& accuracy, const Test& test) const;
  std::optional<LogitDifference> logit_difference(const Test& test, std::size_t of_class) const;
  void prepare_shared();
  Vector step(const Test& test) const;
  Index inputs(std::size_t of_class) const { return data_.names.classes[of_class].inputs; }
  Evidence evidence_for(Index which, std::size_t of_class, const Options& options, const Fit* fit) const;
  void add_fit(Evidence& evidence, const Fit& fit, std::size_t of_class, const Options& options) const;
  Fit fit_test(Index which);

  const LayerData& data_;
  const Options& options_;
  fit::LargestT& largest_;
  std::vector<Test> tests_;
  std::vector<std::vector<Matrix>> kinship_;  // by class and group of inputs
  bool fitted_ = false;
  // One row per concept. Fitted ones are in the layer's coordinates (fit_rows.h), and come with the results.
  Matrix directions_;
  std::vector<pass::HeldOutScores> held_out_;  // by test, mean differences only
  std::vector<DirectionStability> stability_;  // likewise
  std::vector<Index> zero_gradients_;          // by class
  std::optional<GivenDirections> given_;
};

}  // namespace atcav
