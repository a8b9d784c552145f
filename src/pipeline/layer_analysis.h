#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fit/max_t.h"
#include "fit/stability.h"
#include "pipeline/concept_regions.h"
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

  // Fits take memory and share their threads among refits: one test at a time, for all classes. Differences
  // of means: a group of classes at a time, and of these one test per thread, whose resamples are one product
  // for all classes; few tests leave threads for the classes within each.
  std::vector<Result> results(const std::function<void()>& one_done);

  // The rest once all results are there. One row per test:
  MatrixF steps() const;
  std::vector<std::pair<Index, Index>> sets() const;
  Entanglement entanglement() const;
  // Of differences of means, one row per concept.
  const Matrix& directions() const { return directions_; }
  // What the gradients are multiplied with.
  Vector direction(Index which) const;
  LayerCavs cavs() const;

 private:
  struct Fit;  // of a fitted method
  struct ClassGroup {
    std::size_t first = 0;
    std::size_t end = 0;
    Index first_input = 0;
    Index inputs = 0;
  };
  // What a result shares with others; null where there is none.
  struct Known {
    const Fit* fit = nullptr;
    const SharedTest* shared = nullptr;
    const Matrix* draws = nullptr;       // the class's normal numbers (fit/max_t.h)
    const RandomSide* random = nullptr;  // the class's, of the random set
  };

  Result result(Index which, std::size_t of_class, const Options& options, const Known& known) const;
  std::vector<ClassGroup> class_groups() const;
  std::vector<Matrix> input_draws(const ClassGroup& group) const;
  std::vector<RandomSide> random_sides(const ClassGroup& group) const;
  Result scored(const Evidence& evidence, std::size_t of_class, const Options& options) const;
  void add_scored_rows(Accuracy& accuracy, const Test& test) const;
  std::optional<LogitDifference> logit_difference(const Test& test, std::size_t of_class) const;
  void prepare_shared();
  Vector step(const Test& test) const;
  Index inputs(std::size_t of_class) const { return data_.names.classes[of_class].inputs; }
  Evidence evidence_for(Index which, std::size_t of_class, const Options& options, const Known& known) const;
  void add_fit(Evidence& evidence, const Fit& fit, std::size_t of_class, const Options& options) const;
  Fit fit_test(Index which);
  void add_regions(Index which, const pass::HeldOutScores& linear, std::vector<Result>& results) const;

  const LayerData& data_;
  const Options& options_;
  fit::LargestT& largest_;
  std::vector<Test> tests_;
  std::vector<std::vector<Matrix>> kinship_;  // by class and group of inputs
  bool fitted_ = false;
  // One row per concept. Fitted ones are in the layer's coordinates (fit_rows.h), and come with the results.
  Matrix directions_;
  std::vector<std::shared_ptr<const Accuracy>> accuracy_;  // by test, mean differences only
  std::vector<DirectionStability> stability_;              // likewise
  std::vector<Index> zero_gradients_;                      // by class
  std::optional<GivenDirections> given_;
  std::optional<ConceptRegions> regions_;  // where they are asked for
};

}  // namespace atcav
