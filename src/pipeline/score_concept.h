#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/options.h"
#include "atcav/result.h"
#include "pipeline/evidence.h"
#include "pipeline/layer_data.h"

// From what is left of d dimensions to a Result: every score with its uncertainty. Names, dimension and
// corrected p-values are left to analyse(), which has them.
namespace atcav {

// What is refitted for a result: disjoint parts (Multi-TCAV), random against random, resamples and halves.
std::vector<fit::Drawing> drawings_of(const fit::Refitter& refitter, std::string_view concept_name,
                                      const Options& options);

// A CAV whose examples are known. `options` must be checked(). Fewer rows than runs lower the number of
// runs, with a warning.
Result score_concept(const Evidence& evidence, const Options& options);

// The part of it that rests on the responses z_j·x_i alone and not on refits: effect, some_inputs,
// equivalence, other negatives, groups. `result` has its sensitivities. Returns the warnings about rows.
std::vector<std::string> add_use(Result& result, const Evidence& evidence, const Options& options);

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

// The effect of differences of means, from their closed form alone.
stats::Effect effect_of_means(const Evidence& evidence, const Options& options);

}  // namespace atcav
