#pragma once

#include <cmath>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/effect.h"
#include "atcav/evidence.h"
#include "atcav/intervention.h"
#include "atcav/matrix.h"
#include "atcav/options.h"
#include "atcav/preprocess.h"
#include "atcav/score.h"

// What a run returns: plain data, written to results.json as it is. Parts that rest on the examples behind a
// CAV are missing where the direction was given.
namespace atcav {

struct Influences;  // atcav/influences.h

// One concept, for one class, at one layer.
struct Result {
  std::string concept_name;
  std::string class_name;
  std::string layer;
  std::string tensor = {};  // of the network, that `layer` was found to mean; empty for arrays
  std::string cav;          // the method, or "given"
  Index dimension = 0;
  Index n_class = 0;
  std::optional<double> top_share = {};  // of the class inputs: the network's largest logit is the class's

  // In logits per step of size 1: from the random mean to the concept mean along the CAV (for a given
  // direction the direction itself). step × sensitivity is in that unit; 1 for pattern.
  stats::Effect effect;
  double step = 1;
  std::optional<LabelFacts> label = {};
  std::optional<JointEffect> joint = {};
  std::optional<GroupCounts> groups = {};
  // Of a difference of means whose random rows are known (of a 0/1 label: the rows without it).
  std::optional<stats::Negatives> negatives = {};
  std::optional<LogitDifference> logits;     // with a network, for a class of one target
  std::optional<Intervention> intervention;  // with a network
  std::optional<Erasure> erasure;            // with a network and examples
  std::optional<Region> region = {};         // with Options::regions and examples
  Verdict verdict = {};

  double tcav = 0;
  double magnitude = 0;
  double zero_share = 0;
  double gamma = 0;
  std::map<std::string, double> alpha_tcav;  // "1", "3", what was asked for; with examples "star", "dagger"
  std::string headline;                      // the key of alpha_tcav that is reported first
  // By key of alpha_tcav, and "tcav"; with examples "extrapolated".
  std::map<std::string, ScoreInterval> intervals;
  double error_inputs = 0;  // of the headline, over inputs
  stats::Profile profile;
  std::vector<double> sensitivities;
  std::optional<FromExamples> examples;
  std::optional<FromInputs> given = {};   // where the direction was given
  std::optional<PositionMaps> maps = {};  // of the inputs that a report shows; never in results.json
  std::string truth = {};  // in the demo, where it is known: what is true, and whether it was found
  std::vector<std::string> warnings;

  // The order of results: d, or the logits of a given direction. An undefined d comes beyond all others, on
  // the side of the logits.
  double signed_size() const {
    if (!examples || effect.logits == 0) return effect.logits;
    return effect.d.value_or(std::copysign(HUGE_VAL, effect.logits));
  }
  // Of the test of use, over everything tested in the call; of a given direction the one over inputs.
  double corrected_p() const {
    return examples ? examples->significance.bonferroni : given ? given->bonferroni : 1;
  }
  double score() const { return alpha_tcav.at(headline); }
  const stats::Interval& interval() const { return intervals.at(headline).interval; }
};

// Cosines between the concepts' CAVs at a layer (fit/directions.h).
struct Entanglement {
  std::string layer;
  std::vector<std::string> concepts;
  Matrix cosines;
};

// The CAVs themselves, concepts × d; and, where the examples are known, what erasing needs
// (src/stats/erasure.h): the steps from the random mean to each concept's, and the random mean.
struct LayerCavs {
  std::string layer;
  std::vector<std::string> concepts;
  MatrixF directions;
  MatrixF steps = {};
  Eigen::VectorXf random_mean = {};
};

// The role of examples or a file in a run.
struct Role {
  enum class Kind { kModel, kCavs, kClass, kGradients, kConcept, kRandom, kPool, kLabels, kCheck };
  Role(Kind of = Kind::kModel,
       std::string of_name = {})  // NOLINT(google-explicit-constructor): most have no name
      : kind(of), name(std::move(of_name)) {}
  Kind kind;
  std::string name;                               // of the class or the concept
  auto operator<=>(const Role&) const = default;  // NOLINT(modernize-use-nullptr): clang 14
};
std::string role_text(const Role& role);  // "concept 'striped'", "random"
Role read_role(const std::string& text);  // and back; std::invalid_argument for other text

// A file that went into the results.
struct Input {
  Role role;
  std::string path;
  std::string sha256;
  std::vector<Index> shape;
};

// How a network sees a picture: resized and cut.
struct PictureView {
  data::Preprocess how;
  data::ImageFormat format;
};

// A run beside its numbers.
struct RunInfo {
  std::string command;                           // "score", "run", "demo"
  Options options;                               // checked
  std::map<std::string, std::string> libraries;  // names and versions
  std::vector<Input> inputs;                     // every file with its hash
  std::vector<std::string> notes;    // about the whole run: files in two sets, too many tests for a small p
  std::vector<std::string> remarks;  // about the course of the run, e.g. the cache; never in results.json
  std::string setup;                 // run: the configuration that repeats it, as YAML
  std::vector<std::pair<std::string, double>> seconds;          // by stage; never in results.json
  std::map<std::string, std::vector<std::string>> class_files;  // run: the picture behind each class input
  // run: the text of each class input, with --texts.
  std::map<std::string, std::vector<std::string>> class_texts;
  std::map<std::string, std::vector<std::string>> concept_files;  // run: the picture behind each example
  std::vector<std::string> random_files;
  std::map<std::string, std::string> file_hashes;  // run: SHA-256 of those files as they were used
  std::optional<PictureView> view = {};            // run: how the network saw pictures
  std::optional<Reading> reading = {};             // with Options::until or budget
  std::optional<double> scores_level = {};         // of the scores' intervals, if not that of `options`
  Index examples_run = 0;              // run: examples that the network ran, not found in the cache
  std::vector<Index> bytes_sent = {};  // run: by each of several ranks, until the analysis
};

struct RunResult : RunInfo {
  std::vector<Result> results;                        // layer after layer, concepts within classes
  std::vector<SpeaksFor> speaks_for;                  // by layer and concept, with a network
  std::vector<JointErasure> erased_together;          // by layer and class, with Config::erase_together
  std::vector<Entanglement> entanglement;             // by layer
  std::vector<LayerCavs> cavs;                        // by layer, with Config::save_cavs or Given::keep_cavs
  std::shared_ptr<const Influences> influences = {};  // with Config::influences
  std::vector<Explained> explained = {};  // by layer and class, where random inputs' logits are known
};

}  // namespace atcav
