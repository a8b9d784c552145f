#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/paper/figure.h"
#include "atcav/run/layer_data.h"

// The reproduction, section by section: experiments that need no network, in the paper's order with ours
// behind, and those on a real model.
//
//   PaperOptions options;
//   std::vector<Section> sections = run_experiments({"scores", "ratio"}, options);
//   bool right = failed_checks(sections).empty();
namespace atcav::paper {

struct Experiment {
  std::string name;  // for --only
  std::string title;
  std::function<std::vector<Figure>(const PaperOptions&)> run;
};
const std::vector<Experiment>& synthetic_experiments();

struct Section {
  std::string name;
  std::string title;
  std::vector<Figure> figures;
  double seconds = 0;
};

// Names of the sections on a real model, in order.
const std::vector<std::string>& real_experiments();

// In the order of the list, whatever the order of names. std::invalid_argument for an unknown name.
std::vector<Section> run_experiments(const std::vector<std::string>& names, const PaperOptions& options);

// Those of real_experiments() that are named, from one pass over the model's examples (run/run.h). The
// smallest set needs two examples. std::invalid_argument without layers.
std::vector<Section> real_sections(const std::vector<std::string>& names,
                                   const std::vector<LayerData>& layers, const PaperOptions& options);

// Claims that are checks and do not hold: the program, not the paper, would be wrong. "id: text" each.
std::vector<std::string> failed_checks(const std::vector<Section>& sections);

}  // namespace atcav::paper
