#pragma once

#include "atcav/options.h"
#include "atcav/result.h"
#include "pipeline/layer_data.h"

namespace atcav {

// Directions that were given, of a layer: what they do to the inputs of each class, and what random ones of
// the same length would (FromInputs::Baseline). Random ones are drawn from a stream of the layer's, fewer
// where it is wide.
class GivenDirections {
 public:
  GivenDirections(const LayerData& data, const Options& options);
  // Names and corrections are left to analyse().
  Result result(Index which, std::size_t of_class, Index zero_gradients) const;

 private:
  struct OfClass {
    Index first = 0;  // of its rows of the gradients
    Index inputs = 0;
    double mean_gradient = 0;  // its length
    double significant = 0;    // share of random directions
  };
  void multiply();
  void draw_random();

  const LayerData& data_;
  const Options& options_;
  std::vector<OfClass> classes_;
  Matrix products_;  // inputs × directions
  Index drawn_ = 0;
};

}  // namespace atcav
