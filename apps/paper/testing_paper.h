#pragma once

#include <vector>

#include "apps/paper/experiments.h"

// A section with one figure, for the tests of the paper's report.
namespace atcav::report {

inline std::vector<paper::Section> testing_sections() {
  paper::Figure figure;
  figure.id = "ratio";
  figure.title = "Ratio <of> variances";
  figure.x = {"s", true, {}};
  figure.curves = {{"exact, \"u\" = 0", {2, 10}, {0.5, 0.25}, {0.01, 0.02}, paper::Style::kPoints, 1, true},
                   {"rough", {2}, {1}, {}, paper::Style::kDashed, 1, false}};
  figure.claims = {{"agrees with theory", {}, {}, 2.5, true, true}, {"r(2)", 0.55, 0.63, {}, false, false}};
  return {{"ratio", "Ratios", {figure}, 0}};
}

}  // namespace atcav::report
