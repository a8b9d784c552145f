#pragma once

#include <vector>

#include "apps/paper/experiments.h"

// A section with one figure, for the tests of the paper's report.
namespace atcav::paper {

inline std::vector<Section> testing_sections() {
  Figure figure;
  figure.id = "ratio";
  figure.title = "Ratio <of> variances";
  figure.x = {"s", true, {}};
  figure.curves = {{"exact, \"u\" = 0", Style::kPoints, 1, true, {2, 10}, {0.5, 0.25}, {0.01, 0.02}},
                   {"rough", Style::kDashed, 1, false, {2}, {1}}};
  figure.claims = {{"agrees with theory", {}, {}, 2.5, true, true},
                   {"r(2)", 0.55, 0.63, {}, false, false},
                   untested("Sec. r", "r(∞)", "it is far")};
  return {{"ratio", "Ratios", {figure}, 0}};
}

}  // namespace atcav::paper
