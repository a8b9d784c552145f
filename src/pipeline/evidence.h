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
#include "fit/held_out.h"
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
  // Moments-only: there are no rows to permute, but there are covariances. Null otherwise.
  std::shared_ptr<const pass::Projections> random_moments;
  std::shared_ptr<const pass::Projections> concept_moments;
  pass::HeldOutScores held_out;
  double step = 1;             // sensitivities × step are logits per step along the CAV
  stats::RandomSpread spread;  // of z̄·x over the random examples
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

// Inner products of gradients are left out (gradient_kinship), and the held-out scores. Fitted methods put
// their own in place of refitter, noise and step.
Evidence mean_evidence(const LayerData& data, const Test& test, std::size_t of_class, const Options& options);

}  // namespace atcav
