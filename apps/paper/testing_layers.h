#pragma once

#include <vector>

#include "apps/paper/real.h"
#include "pass/testing_sources.h"
#include "pipeline/layer_data.h"

// A small layer after its pass, for the tests of this folder: 20 inputs of one class, 60 random examples
// around 0 and 40 of each concept around `shift`, in 30 columns. Gradients lean on the first concept's
// direction.
namespace atcav::paper {

inline RealModel testing_model(double shift = 0.5) {
  LayerData layer;
  layer.names.layer = "block";
  layer.names.concepts = {"near", "far"};
  layer.names.classes = {{"zebra", 20}};
  layer.gradients = pass::normal_rows(1, 20, 30, 0.1);
  pass::MatrixSource random("random", pass::normal_rows(2, 60, 30));
  pass::MatrixSource near("near", pass::normal_rows(3, 40, 30, shift));
  pass::MatrixSource far("far", pass::normal_rows(4, 40, 30, 3 * shift));
  layer.pass = pass::run_pass(layer.gradients, {&random, &near, &far}, {.gram = true});
  return {.layers = {layer}};
}

inline const Figure* find_figure(const std::vector<Figure>& figures, const std::string& id) {
  for (const Figure& figure : figures) {
    if (figure.id == id) return &figure;
  }
  return nullptr;
}

// Every curve has as many x as y, and errors for all points or none.
inline bool well_formed(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    for (const Curve& curve : figure.curves) {
      if (curve.x.size() != curve.y.size()) return false;
      if (!curve.error.empty() && curve.error.size() != curve.y.size()) return false;
    }
  }
  return !figures.empty();
}

inline bool checks_hold(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    for (const Claim& claim : figure.claims) {
      if (claim.check && !claim.holds) return false;
    }
  }
  return true;
}

}  // namespace atcav::paper
