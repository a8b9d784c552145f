#include "apps/paper/experiments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/paper/real.h"
#include "apps/paper/synthetic.h"
#include "atcav/options.h"
#include "core/check.h"
#include "core/stopwatch.h"

namespace atcav::paper {
namespace {

struct Experiment {
  std::string name;
  std::string title;
  std::function<std::vector<Figure>(const PaperOptions&)> synthetic;
  std::function<std::vector<Figure>(const RealModel&, const PaperOptions&)> real = {};  // or this
};

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = {
      {"scores", "Scores when the CAV is drawn anew", synthetic_scores},
      {"ratio", "What α* saves against Multi-TCAV", variance_ratios},
      {"explain", "Figures that explain", explanations},
      {"accuracy", "Is the concept encoded? Predicted before any fit", synthetic_accuracy},
      {"variability", "How much CAVs vary", cav_variability},
      {"shapes", "The paper’s future work: sensitivities that are not normal", score_shapes},
      {"calibration", "Beyond the paper: is the probability one?", posterior_calibration},
      {"coverage", "Beyond the paper: do intervals cover?", interval_coverage},
      {"attenuation", "Beyond the paper: few examples pull scores towards ½", attenuation},
      {"significance", "Beyond the paper: false alarms", significance_level},
      {"correlation", "Beyond the paper: inputs share one CAV", input_correlation},
      {"vary-s", "A real model: Multi-TCAV with more runs", {}, vary_runs},
      {"vary-N", "A real model: more random examples", {}, vary_budget},
      {"alpha-star", "A real model: α*", {}, alpha_star_table},
      {"encoded", "A real model: is the concept encoded?", {}, encoded_concepts},
      {"time", "A real model: time per estimate", {}, estimate_time},
      {"real-correlation", "A real model: inputs share one CAV", {}, real_correlation},
  };
  return list;
}

std::vector<Experiment> chosen_from(const std::vector<std::string>& only) {
  std::vector<std::string> known;
  std::vector<Experiment> chosen;
  for (const Experiment& one : experiments()) {
    known.push_back(one.name);
    const char* kind = one.real ? "real" : "synthetic";
    if (only.empty() || std::ranges::count(only, one.name) + std::ranges::count(only, kind) > 0)
      chosen.push_back(one);
  }
  for (const std::string& name : only) {
    if (name != "synthetic" && name != "real" && std::ranges::count(known, name) == 0)
      fail_argument("paper",
                    fmt::format("there is no experiment '{}'; there are {}", name, fmt::join(known, ", ")));
  }
  return chosen;
}

// A small network with one gradient for all inputs tells what these scores do on it, and nothing of others.
void spare_the_paper(std::vector<Figure>& figures) {
  for (Figure& figure : figures) {
    for (Claim& claim : figure.claims) {
      if (!claim.check && !claim.holds) claim.untested = "a toy network says nothing about others";
    }
  }
}

}  // namespace

bool wants_rows(const std::vector<std::string>& only) {
  const std::vector<Experiment> chosen = chosen_from(only);
  return std::ranges::any_of(chosen, [](const Experiment& one) { return one.name == "encoded"; });
}

std::vector<Section> run_experiments(const std::vector<std::string>& only, const PaperOptions& options,
                                     const OpenModel& open_model) {
  check_at_least("paper", "repeats", options.repeats, 2);
  const std::vector<Experiment> chosen = chosen_from(only);
  RealModel model;
  std::vector<Section> sections;
  for (const Experiment& one : chosen) {
    if (one.real && model.layers.empty()) {
      model = open_model();
      check_at_least("paper", "number of layers", std::ssize(model.layers), 1);
    }
    if (options.progress) options.progress(one.name, std::ssize(sections), std::ssize(chosen));
    Stopwatch watch;
    std::vector<Figure> figures = one.real ? one.real(model, options) : one.synthetic(options);
    if (one.real && model.toy) spare_the_paper(figures);
    watch.lap(one.name);
    sections.push_back({one.name, one.title, std::move(figures), watch.seconds().back().second});
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
