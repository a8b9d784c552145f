#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/real.h"

// The reproduction, section by section: experiments that need no network, in the paper's order with ours
// behind, and those on a real model.
//
//   PaperOptions options;
//   std::vector<Section> sections = run_experiments({"scores", "ratio"}, options);
//   bool right = failed_checks(sections).empty();
namespace atcav::paper {

struct Section {
  std::string name;
  std::string title;
  std::vector<Figure> figures;
  double seconds = 0;
};

// A real model's layers, from one pass over its examples (pipeline/collect.h); the smallest set needs two.
using OpenModel = std::function<RealModel()>;

// Whether the pass must keep all rows, whatever the method.
bool wants_rows(const std::vector<std::string>& only);

// Those that `only` names, or all; "synthetic" and "real" stand for many. In the order of the list, whatever
// that of `only`. `open_model` is asked once, where a real model is needed. std::invalid_argument for an
// unknown name, and for a model without layers.
std::vector<Section> run_experiments(const std::vector<std::string>& only, const PaperOptions& options,
                                     const OpenModel& open_model = {});

// Claims that are checks and do not hold: the program, not the paper, would be wrong. "id: text" each.
std::vector<std::string> failed_checks(const std::vector<Section>& sections);

}  // namespace atcav::paper
