#pragma once

#include <string>
#include <vector>

#include "atcav/result.h"

// What a careful colleague would add to a number, in one sentence each: never silently wrong.
namespace atcav {

// Of one result; `zero_gradients` of its inputs have a gradient that is zero in every column.
std::vector<std::string> warnings_of(const Result& result, Index zero_gradients, const Options& options);

// Where few rows carry what z̄·x says of a set.
std::vector<std::string> row_warnings(const Result& result, const stats::RandomSpread& random,
                                      const stats::RandomSpread& of_concept);

// Where inputs use the concept in different ways and their mean says nothing.
std::string divided_warning(const Result& result);

// Of its intervention: leaving the usual activations did more than the direction; few inputs carry what it
// does, for tests at level `alpha`. Of its erasure, if there is one, the latter.
std::vector<std::string> intervention_warnings(const Result& result, double alpha);
std::vector<std::string> erasure_warnings(const Result& result, double alpha);

// Population skewness; 0 for equal values and for none.
double skewness_of(const VectorRef& values);

// Where the network takes few of the class inputs for the class: a wrong index or preprocessing.
std::vector<std::string> top_class_warnings(const Result& result);

// A sentence for each choice that the kind of CAV has no use for.
std::vector<std::string> unused_choices(const Options& options);

}  // namespace atcav
