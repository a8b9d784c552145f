#include "apps/paper/experiments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "atcav/base/check.h"
#include "apps/paper/attenuation.h"
#include "apps/paper/cav_variability.h"
#include "apps/paper/explanations.h"
#include "apps/paper/input_correlation.h"
#include "apps/paper/interval_coverage.h"
#include "apps/paper/posterior_calibration.h"
#include "apps/paper/significance_level.h"
#include "apps/paper/synthetic_accuracy.h"
#include "apps/paper/synthetic_scores.h"
#include "apps/paper/variance_ratios.h"
#include "atcav/run/stopwatch.h"

namespace atcav::paper {

const std::vector<Experiment>& synthetic_experiments() {
  static const std::vector<Experiment> list = {
      {"scores", "Scores when the CAV is drawn anew", synthetic_scores},
      {"ratio", "What α* saves against Multi-TCAV", variance_ratios},
      {"explain", "Figures that explain", explanations},
      {"accuracy", "Is the concept encoded? Predicted before any fit", synthetic_accuracy},
      {"variability", "How much CAVs vary", cav_variability},
      {"calibration", "Beyond the paper: is the probability one?", posterior_calibration},
      {"coverage", "Beyond the paper: do intervals cover?", interval_coverage},
      {"attenuation", "Beyond the paper: few examples pull scores towards ½", attenuation},
      {"significance", "Beyond the paper: false alarms", significance_level},
      {"correlation", "Beyond the paper: inputs share one CAV", input_correlation},
  };
  return list;
}

std::vector<Section> run_experiments(const std::vector<std::string>& names, const PaperOptions& options) {
  check_at_least("paper", "repeats", options.repeats, 2);
  std::vector<std::string> known;
  for (const Experiment& experiment : synthetic_experiments()) known.push_back(experiment.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail_argument("paper",
                    fmt::format("there is no experiment '{}'; there are {}", name, fmt::join(known, ", ")));
    }
  }
  std::vector<Section> sections;
  for (const Experiment& experiment : synthetic_experiments()) {
    if (std::find(names.begin(), names.end(), experiment.name) == names.end()) continue;
    if (options.progress) {
      options.progress(experiment.name, static_cast<Index>(sections.size()),
                       static_cast<Index>(names.size()));
    }
    Stopwatch watch;
    sections.push_back({experiment.name, experiment.title, experiment.run(options), 0});
    sections.back().seconds = watch.lap();
  }
  return sections;
}

std::vector<std::string> failed_checks(const std::vector<Section>& sections) {
  std::vector<std::string> failed;
  for (const Section& section : sections) {
    for (const Figure& figure : section.figures) {
      for (const Claim& claim : figure.claims) {
        if (claim.check && !claim.holds) failed.push_back(figure.id + ": " + claim.text);
      }
    }
  }
  return failed;
}

}  // namespace atcav::paper
