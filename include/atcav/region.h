#pragma once

#include <optional>
#include <vector>

#include "atcav/interval.h"
#include "atcav/matrix.h"

// A concept as a region of the layer instead of a direction (concept activation regions, Crabbé and van der
// Schaar 2022; docs/theory/region.md): a support vector machine with the kernel k(x, y) = exp(-|x - y|²/m²),
// whose score g(h) is high where activations look like the concept's.
namespace atcav {

// A region at class inputs, where their activations are known.
struct RegionAtInputs {
  double inside = 0;  // share of the inputs with g above the threshold: the TCAR score
  stats::Interval inside_interval{0, 1};
  // z_j·∇g(h_j), in logits per way between the sets' means along a gradient of root mean square length.
  std::vector<double> sensitivities;
  double logits = 0;               // their mean
  stats::Interval interval{0, 0};  // over new examples and new inputs
  double p = 1;                    // the mean is 0
  double bonferroni = 1;           // over all regions of the call
  double benjamini_hochberg = 1;
};

struct Region {
  double width = 0;  // m: the median distance between examples
  // Of rows scored by fits without them, as a direction's (Accuracy).
  double held_out = 0;
  stats::Interval interval{0, 1};
  double auc = 0;
  stats::Interval auc_interval{0, 1};
  // Less the accuracy of the direction, on the rows that both were counted on without having seen them.
  double gain = 0;
  stats::Interval gain_interval{-1, 1};
  bool tells_better() const { return gain_interval.low > 0; }
  std::optional<RegionAtInputs> inputs = {};
};

}  // namespace atcav
