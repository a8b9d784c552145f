#pragma once

#include <string>
#include <vector>

#include "apps/paper/figure.h"
#include "atcav/stats/accuracy.h"

// Scores of the two classes as bars with normals over them.
namespace atcav::paper {

// Area 1 over 30 equal bins of [low, high]; values outside are left out of the bars but counted.
Curve density_histogram(const std::string& name, const std::vector<double>& values, double low, double high,
                        int colour);
Curve normal_curve(const std::string& name, const stats::NormalLaw& law, double low, double high, int colour);

}  // namespace atcav::paper
