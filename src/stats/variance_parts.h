#pragma once

#include <vector>

#include "atcav/effect.h"
#include "atcav/interval.h"

// A number whose error has several sources, each estimated by itself: t-interval and p-value with
// Satterthwaite's degrees of freedom over the parts.
namespace atcav::stats {

double total_variance(const std::vector<VariancePart>& parts);

// Welch–Satterthwaite. Where one part is taken from another there may be hardly any degrees left: 1 at least.
double satterthwaite(const std::vector<VariancePart>& parts);

// An interval is a line even where t has so few degrees that its quantile is huge; no error at all: a point.
Interval t_interval(double value, const std::vector<VariancePart>& parts, double level);

// The null hypothesis is that the value is 0. No error at all: 1 if it is, 0 if not.
double two_sided_p(double value, const std::vector<VariancePart>& parts);

}  // namespace atcav::stats
