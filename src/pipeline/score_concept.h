#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atcav/effect.h"
#include "atcav/matrix.h"
#include "atcav/options.h"
#include "atcav/result.h"
#include "fit/held_out.h"
#include "fit/max_t.h"
#include "fit/noise.h"
#include "fit/refit.h"
#include "pipeline/layer_data.h"

// From what is left of d dimensions to a Result: every score with its uncertainty. Names, dimension and
// corrected p-values are left to analyse(), which has them.
namespace atcav {

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
  std::optional<stats::RandomSpread> spread_of_logit;  // of the class's logit over the random examples
  // z̄·x of the rows of both sets, to be dealt anew; empty for fitted methods, without rows, and where a group
  // has rows of both.
  std::optional<fit::DealtSets> dealt;
  Groups input_groups;
  std::optional<stats::Effect> grouped;  // with errors over groups of rows, in place of the one from rows
  GroupCounts groups;
  std::vector<Matrix> kinship;  // inner products of gradients, group after group of kInputGroup inputs
};

// Inputs whose posterior is found together: m³ for each group.
inline constexpr Index kInputGroup = 160;
// The group sizes that m inputs are divided into.
std::vector<Index> input_groups(Index inputs);
// Of all classes, whose inputs lie behind each other: first and last + 1 of each group.
std::vector<std::pair<Index, Index>> input_groups(std::span<const LayerNames::Class> classes);

// A CAV whose examples are known. `options` must be checked(). Fewer rows than runs lower the number of
// runs, with a warning.
Result score_concept(const Evidence& evidence, const Options& options);

// A direction that was given: sensitivities S_j = z_j·w and every score of them. Where w comes from is not
// known, so neither is its noise: the intervals are T ± Φ⁻¹((1+level)/2) sd_j/√m, cut to [0, 1], the error
// from having drawn these m inputs, w and γ being held fixed. They hold nothing else. std::invalid_argument
// for alpha star and dagger, which come from the noise of a CAV.
Result score_direction(const VectorRef& sensitivities, Index zero_gradients, const Options& options);

// t of its test of use under `permutations` relabellings (fit/max_t.h), in logits. Empty where the examples
// cannot be relabelled.
Vector relabelled_use(const Evidence& evidence, const Result& result, std::string_view class_name,
                      const Options& options);

// Inner products of the gradients within each class's groups of inputs (input_groups), in pieces added up
// in double: by class and group.
std::vector<std::vector<Matrix>> gradient_kinship(const LayerData& data, int threads);

}  // namespace atcav
