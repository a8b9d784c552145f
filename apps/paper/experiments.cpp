#include "apps/paper/experiments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/paper/real.h"
#include "apps/paper/synthetic.h"
#include "atcav/base/check.h"
#include "atcav/run/progress.h"

namespace atcav::paper {
namespace {

Section timed_section(const std::string& name, const std::string& title,
                      const std::function<std::vector<Figure>()>& run) {
  Stopwatch watch;
  std::vector<Figure> figures = run();
  watch.lap(name);
  return {name, title, std::move(figures), watch.seconds().back().second};
}

struct RealExperiment {
  std::string name;
  std::string title;
  std::function<std::vector<Figure>(const std::vector<LayerData>&, const std::vector<RealCase>&,
                                    const PaperOptions&)>
      run;
};

const std::vector<RealExperiment>& real_list() {
  using Layers = std::vector<LayerData>;
  using Cases = std::vector<RealCase>;
  static const std::vector<RealExperiment> list = {
      {"vary-s", "Multi-TCAV with more runs",
       [](const Layers&, const Cases& cases, const PaperOptions& options) {
         return vary_runs(cases, options);
       }},
      {"vary-N", "more random examples",
       [](const Layers&, const Cases& cases, const PaperOptions& options) {
         return vary_budget(cases, options);
       }},
      {"alpha-star", "α*",
       [](const Layers&, const Cases& cases, const PaperOptions&) { return alpha_star_table(cases); }},
      {"encoded", "is the concept encoded?",
       [](const Layers& layers, const Cases&, const PaperOptions&) { return encoded_concepts(layers); }},
      {"time", "time per estimate",
       [](const Layers& layers, const Cases&, const PaperOptions& options) {
         return estimate_time(layers, options);
       }},
      {"real-correlation", "inputs share one CAV",
       [](const Layers&, const Cases& cases, const PaperOptions& options) {
         return real_correlation(cases, options);
       }},
  };
  return list;
}

}  // namespace

const std::vector<std::string>& real_experiments() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const RealExperiment& experiment : real_list()) all.push_back(experiment.name);
    return all;
  }();
  return names;
}

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
    if (std::ranges::count(known, name) > 0) continue;
    known.insert(known.end(), real_experiments().begin(), real_experiments().end());
    fail_argument("paper",
                  fmt::format("there is no experiment '{}'; there are {}", name, fmt::join(known, ", ")));
  }
  std::vector<Section> sections;
  for (const Experiment& experiment : synthetic_experiments()) {
    if (std::ranges::count(names, experiment.name) == 0) continue;
    if (options.progress) {
      options.progress(experiment.name, static_cast<Index>(sections.size()),
                       static_cast<Index>(names.size()));
    }
    sections.push_back(
        timed_section(experiment.name, experiment.title, [&] { return experiment.run(options); }));
  }
  return sections;
}

std::vector<Section> real_sections(const std::vector<std::string>& names,
                                   const std::vector<LayerData>& layers, const PaperOptions& options) {
  check_at_least("paper", "number of layers", static_cast<Index>(layers.size()), 1);
  check_at_least("paper", "repeats", options.repeats, 2);
  const std::vector<RealCase> cases = real_cases(layers);
  std::vector<Section> sections;
  for (const RealExperiment& experiment : real_list()) {
    if (std::ranges::count(names, experiment.name) == 0) continue;
    sections.push_back(timed_section(experiment.name, "A real model: " + experiment.title,
                                     [&] { return experiment.run(layers, cases, options); }));
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
