#pragma once

#include <optional>
#include <span>
#include <vector>

#include "atcav/evidence.h"
#include "atcav/options.h"
#include "atcav/result.h"
#include "fit/region_rows.h"
#include "pipeline/evidence.h"
#include "pipeline/layer_data.h"

// Regions beside directions (atcav/evidence.h): a layer whose pass has all inner products of its examples,
// and activations of the class inputs where they are known.
namespace atcav {

class ConceptRegions {
 public:
  ConceptRegions(const LayerData& data, const Options& options);

  // By class, which differ in Region::inputs alone. `linear`: scores of the direction, of the same folds.
  std::vector<Region> of_test(const Test& test, const pass::HeldOutScores& linear) const;

 private:
  std::optional<fit::InputPlaces> places(const Test& test) const;

  const LayerData& data_;
  const Options& options_;
  Matrix products_;  // (h_j - c)·(x_i - c) with all rows of the pass; empty where rows have few columns
};

// Bonferroni and Benjamini–Hochberg over all regions of the call.
void correct_regions(std::vector<Result>& results);

}  // namespace atcav
