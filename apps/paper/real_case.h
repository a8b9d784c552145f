#pragma once

#include <string>
#include <vector>

#include "atcav/base/random.h"
#include "atcav/run/layer_pass.h"
#include "apps/paper/options.h"
#include "atcav/span/refit.h"

// One concept, class and layer of a real model, after the pass, and estimates on examples drawn anew from it:
// what the paper repeats with fresh images, repeated from the columns of P.
//
// Random examples are drawn with replacement from those given, which stand for the population, so that any
// budget N can be had from a few hundred images. The concept's examples stay whole, as in the paper, or are
// drawn with replacement too.
namespace atcav::paper {

struct RealCase {
  std::string layer, class_name, concept_name;
  std::string label;  // "layer, concept", and the class when there are several
  span::Projections random;
  span::Projections of_concept;
  bool first_class = true;
};
std::vector<RealCase> real_cases(const std::vector<LayerPass>& layers);

struct DrawnRows {
  span::RowNumbers random;
  span::RowNumbers of_concept;
};
DrawnRows draw_rows(const span::Refitter& refitter, Index budget, bool redraw_concept, Stream& stream);

// Multi-TCAV: the drawn random rows in `runs` parts, the concept's whole in each run.
double multi_tcav(const span::Refitter& refitter, const DrawnRows& rows, Index runs);

}  // namespace atcav::paper
