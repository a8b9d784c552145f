#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atcav/effect.h"
#include "atcav/groups.h"
#include "atcav/options.h"
#include "atcav/result.h"
#include "fit/inputs_refitter.h"
#include "fit/max_t.h"
#include "fit/noise.h"
#include "fit/refit.h"
#include "pipeline/layer_data.h"

// What is left of a test and a class when d dimensions are gone: what score_concept.h makes a Result of.
namespace atcav {

// Which set of the pass is tested against which.
struct Test {
  std::string name;
  Index concept_set;
  Index random_set;
};
// Concepts against random examples, then concept against concept.
std::vector<Test> tests_of(const LayerNames& names);

// What the classes of a group share of a test: their inputs are columns of one product of weights and
// responses, and their labels are dealt alike.
struct SharedTest {
  Index first = 0;                                 // input of the group
  std::shared_ptr<const fit::SharedRefits> means;  // differences of means, for all inputs of the group
  std::vector<fit::RowNumbers> labels;             // of each relabelling
  Matrix relabelled;                               // relabellings × inputs; moments-only: empty
};

// What tests against the same random set share of a class.
struct RandomSide {
  std::shared_ptr<const fit::SharedRows> rows;
  stats::RandomSpread spread;
  Vector along;  // z̄·x
};
RandomSide random_side(const LayerData& data, Index random_set, std::size_t of_class, const Options& options);

struct Evidence {
  std::string concept_name;
  Index n_random = 0;
  Index n_concept = 0;
  Index zero_gradients = 0;  // inputs whose gradient is zero in every column
  std::shared_ptr<const fit::Refitter> refitter;
  std::shared_ptr<const fit::Noise> noise;
  IntervalKind noise_kind = IntervalKind::kDelta;
  // The difference of the same rows' means, whatever the method (the refitter itself for pattern and fast),
  // and the errors of its sensitivities: what the sets are told apart by.
  std::shared_ptr<const fit::MeanRefitter> means;
  Vector mean_errors;
  // In place of `means`, where classes share them: the difference of means, and its relabellings × inputs.
  Vector mean_sensitivities;
  Matrix relabelled;
  // Moments-only: there are no rows to permute, but there are covariances. Null otherwise.
  std::shared_ptr<const fit::SharedRows> random_moments;
  std::shared_ptr<const pass::Projections> concept_moments;
  std::shared_ptr<const Accuracy> accuracy;  // of the held-out scores
  double step = 1;                           // sensitivities × step are logits per step along the CAV
  stats::RandomSpread spread;                // of z̄·x over the random examples
  stats::RandomSpread spread_of_concept;
  // z̄·x of the rows of both sets; empty for fitted methods and without rows.
  Vector random_along;
  Vector concept_along;
  Groups random_groups;                  // of the random rows; empty: each by itself
  std::vector<std::string> strata;       // of the random rows; empty: there are none
  std::optional<stats::Effect> grouped;  // with errors over groups of rows, in place of the one from rows
  GroupCounts groups;
  Groups input_groups;                  // of the class's inputs; empty: each by itself
  std::optional<fit::DealtSets> dealt;  // what relabellings deal; none where nothing can be dealt
  fit::RelabelDraws draws;              // what others have drawn for them already
  std::optional<stats::RandomSpread> spread_of_logit;  // of the class's logit over the random examples
  std::vector<Matrix> kinship;  // inner products of gradients, group after group of kInputGroup inputs
};

// Inputs whose posterior is found together: m³ for each group.
inline constexpr Index kInputGroup = 160;
// The group sizes that m inputs are divided into.
std::vector<Index> input_groups(Index inputs);
// Of all classes, whose inputs lie behind each other: first and last + 1 of each group.
std::vector<std::pair<Index, Index>> input_groups(std::span<const LayerNames::Class> classes);

// How much shorter than the way between the means the direction is: fast is pattern, shortened by the share
// of random examples. 1 for pattern.
double step_of_means(const pass::Pass& pass, const Test& test, const Options& options);

// For the inputs first … first+count-1 of the gradients.
SharedTest share_test(const LayerData& data, const Test& test, Index first, Index count,
                      const Options& options);

// Inner products of gradients are left out (gradient_kinship), and the accuracy. Fitted methods put their own
// in place of refitter, noise and step. `shared`: of a group that the class is one of; `random`: of the class
// and the test's random set. Without them everything is made for the test and class alone.
Evidence mean_evidence(const LayerData& data, const Test& test, std::size_t of_class, const Options& options,
                       const SharedTest* shared = nullptr, const RandomSide* random = nullptr);

}  // namespace atcav
