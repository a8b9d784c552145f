#pragma once

#include <string>
#include <vector>

#include "atcav/result.h"

// The charts of a run to take away: one SVG file each, made without a browser.
// - effects-CLASS: d (or logits, for given directions) with intervals, by concept and layer
// - dose-LAYER-CONCEPT: what adding the concept does to each class, by dose, and what leaving the usual
//   activations costs
// - speaks-for-LAYER-CONCEPT: the classes it raises and lowers most
// - sensitivity-LAYER-CLASS-CONCEPT: a histogram over inputs, and α-TCAV over α
//
// Dose and speaks-for need a network; the layer is left out of names where there is one only.
namespace atcav::report {

struct Figure {
  std::string name;  // letters, digits, '.', '_' and '-' alone, each once
  std::string svg;
};

struct Figures {
  std::vector<Figure> list;
  std::size_t left_out = 0;  // beyond `most`
};
// Effects first, so that these are there whatever `most` is.
Figures make_figures(const RunResult& result, std::size_t most = 400);

}  // namespace atcav::report
