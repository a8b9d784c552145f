#pragma once

#include <cmath>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atcav/accuracy.h"
#include "atcav/effect.h"
#include "atcav/explained.h"
#include "atcav/influences.h"
#include "atcav/interval.h"
#include "atcav/intervention.h"
#include "atcav/matrix.h"
#include "atcav/negatives.h"
#include "atcav/options.h"
#include "atcav/preprocess.h"
#include "atcav/region.h"
#include "atcav/score.h"

// What a run returns: plain data, written to results.json as it is. Parts that rest on the examples behind a
// CAV are missing where the direction was given.
namespace atcav {

struct MultiTcav {
  Index runs = 0;
  double mean = 0;
  double sd = 0;  // over runs, divisor runs-1
  std::vector<double> scores;
  // α-TCAV of the same CAVs, by the number of α: the mean of s(α S/γ) over runs and inputs, γ the mean of the
  // runs' own. The paper's expectation over x and w, with as many examples as a run has.
  std::map<std::string, double> alpha_tcav = {};
  double gamma = 0;
};

// Would other examples give the same direction (fit/stability.h)?
struct DirectionStability {
  double cosine = 0;                             // expected, with the CAV of as many new examples
  std::optional<double> relative_variance = {};  // Tr Cov(w)/|w|²: pattern and fast, in closed form
  std::optional<double> split_half = {};         // the others: mean cosine between CAVs of halves
};

// What scores would do if the CAV were drawn anew (pipeline/score_laws.h).
struct ScoreLaws {
  // By key of alpha_tcav: share of the inputs whose score has a law with two peaks (stats::bimodal_share), so
  // that it says yes or no as TCAV does. The others' say a number, as Multi-TCAV's does.
  std::map<std::string, double> two_peaks;
  // Of the S_j over resampled examples, medians over inputs: 0 and 0 for the normal law behind α*, α† and
  // posteriors.
  double skewness = 0;  // of its size, whatever its sign
  double excess_kurtosis = 0;
  bool normal = true;  // near enough that P(S > 0) is 0.035 off at most
};

// Delta, jackknife and bootstrap are approximate; bound holds with at least its level; inputs (given
// directions) counts the drawing of the inputs alone.
enum class IntervalKind { kDelta, kJackknife, kBootstrap, kBound, kInputs };

struct ScoreInterval {
  stats::Interval interval;
  IntervalKind kind = IntervalKind::kDelta;
  double standard_error = 0;  // of the CAV's noise; for kInputs of the drawing of inputs
};

struct Accuracy {
  double held_out = 0;  // balanced: the mean of the two classes' shares
  stats::Interval interval{0, 1};
  double auc = 0;
  stats::Interval auc_interval{0, 1};
  // Of accuracy and AUC the one whose interval reaches lower: what is said of encoding names it. Both must be
  // above chance, because where only the spreads of the two sets differ, a threshold may find that and a
  // ranking does not.
  struct Deciding {
    std::string_view name;
    double value;
    stats::Interval interval;
  };
  Deciding deciding() const {
    if (auc_interval.low < interval.low) return {"AUC", auc, auc_interval};
    return {"accuracy", held_out, interval};
  }
  bool encoded() const { return deciding().interval.low > 0.5; }
  double predicted = 0;  // balanced, from normals fitted to the held-out scores
  double threshold = 0;  // η* of those normals
  stats::NormalLaw random;
  stats::NormalLaw of_concept;
  std::vector<double> random_scores;  // held out, at most about 200 of each set (fit/held_out.h)
  std::vector<double> concept_scores;
  std::vector<Index> concept_rows;  // of each concept score the example; empty where that is not known
};

// Three tests with three null hypotheses.
struct Significance {
  double use_p = 1;       // the mean sensitivity is 0 over new examples and new inputs (atcav/effect.h)
  double bonferroni = 1;  // of use_p, over everything tested in the call
  double benjamini_hochberg = 1;
  double differs_p = 1;  // the concept's examples are random ones: relabelled examples do as much
  double welch_p = 1;    // the usual t-test over runs of TCAV; too optimistic
  // Of use_p's hypothesis, over everything tested in the call, by relabelling (fit/max_t.h); missing for
  // ridge, logistic and svm, without rows, and where a group has rows of both sets.
  std::optional<double> max_t = {};
};

// No input uses the concept (stats::some_inputs_p).
struct SomeInputs {
  double p = 1;
  double bonferroni = 1;
  double benjamini_hochberg = 1;
};

// What first order says of use, with both errors controlled: no evidence is no evidence of absence.
enum class UseVerdict {
  kUsed,       // the corrected test of use finds an effect, of whatever size
  kNotBeyond,  // it does not, and |d| is shown to be below the bound
  kUndecided,  // neither
};
std::string_view name(UseVerdict verdict);  // "used", "not beyond", "undecided"

struct Equivalence {
  double bound = 0.2;  // ε: Options::negligible
  double p = 1;        // |d| ≥ ε (stats::equivalence_p)
  double bonferroni = 1;
  double benjamini_hochberg = 1;
  UseVerdict verdict = UseVerdict::kUndecided;
  // So many times as many examples and inputs would decide with probability 0.8, if d is as it is estimated
  // (stats::deciding_factor). Empty where it is decided or nothing is known of d's error.
  std::optional<double> factor = {};
};

// What is known of a CAV because its examples are.
struct FromExamples {
  Index n_concept = 0;
  Index n_random = 0;
  double sigma_effective = 0;
  double alpha_star = 0;  // infinite when all sensitivities are equal
  double alpha_dagger = 0;
  double flat_posterior = 0;
  double empirical_bayes = 0;
  double tau_squared = 0;
  double shared_posterior = 0;
  MultiTcav multi;
  double extrapolated = 0;
  Accuracy accuracy;
  Significance significance;
  Equivalence equivalence;
  SomeInputs some_inputs;
  // Where no input is shown to use the concept, posteriors are mostly prior: of what they state with 95 % and
  // more, 81 to 95 % are right (docs/theory/posterior.md); elsewhere 95 % and more.
  bool posteriors_calibrated() const { return some_inputs.p < 0.05; }
  std::optional<DirectionStability> stability = {};  // not of a label
  ScoreLaws laws;
  std::vector<stats::Interval> profile_intervals;  // of each score of the profile, at the level of intervals
  std::vector<double> sensitivity_errors;
};

// What is known of a direction that was given: of the three things that could be drawn anew, the concept's
// examples, the random ones and the inputs, only the inputs are there.
struct FromInputs {
  double bonferroni = 1;  // of effect.p (E S̄ = 0 over new inputs), over everything tested in the call
  double benjamini_hochberg = 1;
  // Against directions of its length drawn evenly over the sphere (stats::random_direction_p).
  struct Baseline {
    double logits = 0;  // standard deviation of what they do: |w|·|z̄|/√d
    double p = 1;       // share of them that do at least as much
    double bonferroni = 1;
    double benjamini_hochberg = 1;
    Index drawn = 0;         // of `drawn` ones, whose stream is keyed by seed and layer,
    double significant = 0;  // the share whose own test over inputs, uncorrected, is below 1 - level
  } baseline;
};

// Of a concept that is a column of a pool's labels (include/atcav/labels.h). It is not fitted on parts of the
// examples, so Multi-TCAV, the extrapolation, held-out accuracy, differs_p and welch_p are not known.
struct LabelFacts {
  bool numbers = false;  // not 0/1: one step is one standard deviation of the label
  Index rows = 0;        // of the pool that have this label
  double sd = 1;         // of the label over them
};

// Does the layer tell a label when the others are known? Rows that a direction has not seen are scored along
// it, and the scores are correlated with what the other labels leave of this one (stats/label_encoding.h).
struct LabelEncoding {
  double correlation = 0;
  stats::Interval interval{-1, 1};
  Index rows = 0;  // that were scored
  bool encoded() const { return interval.low > 0; }
};

// The effect of a label with all others held fixed (stats/joint_effect.h); its p is that of use.
struct JointEffect {
  stats::Effect effect;
  Index rows = 0;         // that have all labels
  double inflation = 1;   // of its variance, because the other labels tell of this one: 1/(1 - R²)
  double bonferroni = 1;  // of p, over all joint effects of the call
  double benjamini_hochberg = 1;
  std::optional<LabelEncoding> encoding = {};  // missing for pools too large for it
};

// How many groups of rows the errors of the effect are added up in.
struct GroupCounts {
  std::optional<Index> examples;
  std::optional<Index> inputs;
};

// The class's logit on real examples: the mean over the concept's less the mean over random ones. What both
// sets differ in goes into it, the concept and all else.
struct LogitDifference {
  double difference = 0;
  stats::Interval interval{0, 0};  // Welch's, at the level of intervals
  double p = 1;
  double random_sd = 0;  // of the logit over random examples
  Index n_concept = 0;   // examples that went through the whole network
  Index n_random = 0;
};

// Where in an input the sensitivity comes from, and where the concept is found (pipeline/position_maps.h).
// Cells are positions of the layer or squares of them, row by row.
struct PositionMap {
  Index input = 0;
  std::vector<double> sensitivity;  // adds up to the input's
  std::vector<double> activation;   // empty where inputs cannot be looked at twice
};
struct PositionMaps {
  Index height = 0;  // in cells
  Index width = 0;
  Index cell = 1;       // positions in the side of a cell
  bool tokens = false;  // of a sequence: height is 1
  std::vector<PositionMap> inputs;
};

enum class Use { kFor, kAgainst, kNoEvidence };

// What speaks for or against a class using a concept (pipeline/verdict.h). At most four lines: "first order"
// (gradients), "adding" it to random inputs, "taking away" from class inputs, "real difference" of examples.
struct EvidenceLine {
  std::string line;
  double logits = 0;
  stats::Interval interval;
  Use says = Use::kNoEvidence;
  std::string text;
};
struct Verdict {
  Use use = Use::kNoEvidence;
  std::string text;
  std::vector<EvidenceLine> evidence;
  bool agrees = true;  // no line contradicts another, nor does the network contradict its gradients
};

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
  std::optional<LogitDifference> logits;     // where a network was at hand and the class has one target
  std::optional<Intervention> intervention;  // where a network was at hand
  std::optional<Erasure> erasure;            // likewise, and examples
  std::optional<Region> region = {};         // where it was asked for, and examples
  Verdict verdict = {};

  double tcav = 0;
  double magnitude = 0;
  double zero_share = 0;
  double gamma = 0;
  std::map<std::string, double> alpha_tcav;  // "1", "3", what was asked for; with examples "star", "dagger"
  std::string headline;                      // the key of alpha_tcav that stands for the others
  // By key of alpha_tcav, and "tcav"; with examples "extrapolated".
  std::map<std::string, ScoreInterval> intervals;
  double error_inputs = 0;  // of the headline: from having drawn these inputs
  stats::Profile profile;
  std::vector<double> sensitivities;
  std::optional<FromExamples> examples;
  std::optional<FromInputs> given = {};   // where the direction was given
  std::optional<PositionMaps> maps = {};  // of the inputs that a report shows; never in results.json
  std::string truth = {};  // where it is known (the demo): what is true, and whether that was found
  std::vector<std::string> warnings;

  // What results are ordered by: d, of a given direction the logits. Where d is undefined it is beyond all
  // others, on the side of the logits.
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

// All concepts of a layer taken away at once from the inputs of a class.
struct JointErasure {
  std::string layer;
  std::string class_name;
  std::vector<std::string> concepts;
  Erasure erasure;  // without p, which is of no single hypothesis, share and control
};

// Cosines between the concepts' CAVs at a layer (fit/directions.h).
struct Entanglement {
  std::string layer;
  std::vector<std::string> concepts;
  Matrix cosines;
};

// The CAVs themselves, concepts × d; and what takes the concepts out (src/stats/erasure.h), where the
// examples are known: the steps from the random mean to each concept's, and the random mean.
struct LayerCavs {
  std::string layer;
  std::vector<std::string> concepts;
  MatrixF directions;
  MatrixF steps = {};
  Eigen::VectorXf random_mean = {};
};

// What examples or a file are to a run.
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

// What is known of a run beside its numbers.
struct RunInfo {
  std::string command;                           // "score", "run", "demo"
  Options options;                               // checked
  std::map<std::string, std::string> libraries;  // behind the numbers, with their versions
  std::vector<Input> inputs;                     // every file with its hash
  std::vector<std::string> notes;    // about the whole run: files in two sets, too many tests for a small p
  std::vector<std::string> remarks;  // about how it went, e.g. the cache; never in results.json
  std::string setup;                 // run: the configuration that repeats it, as YAML
  std::vector<std::pair<std::string, double>> seconds;          // by stage; never in results.json
  std::map<std::string, std::vector<std::string>> class_files;  // run: the picture behind each class input
  // run: the text of each class input, with --texts.
  std::map<std::string, std::vector<std::string>> class_texts;
  std::map<std::string, std::vector<std::string>> concept_files;  // run: the picture behind each example
  std::vector<std::string> random_files;
  std::map<std::string, std::string> file_hashes;  // run: SHA-256 of those files as they were used
  std::optional<PictureView> view = {};            // run: how the network saw pictures
  std::optional<Reading> reading = {};             // where not all examples were to be read
  std::optional<double> scores_level = {};  // of the scores' intervals, where it is not that of `options`
  Index examples_run = 0;              // run: examples that went through the network, not found in the cache
  std::vector<Index> bytes_sent = {};  // run: by each of several ranks, until the analysis
};

struct RunResult : RunInfo {
  std::vector<Result> results;                        // layer after layer, concepts within classes
  std::vector<SpeaksFor> speaks_for;                  // by layer and concept, where a network was at hand
  std::vector<JointErasure> erased_together;          // by layer and class, where it was asked for
  std::vector<Entanglement> entanglement;             // by layer
  std::vector<LayerCavs> cavs;                        // by layer, where they were asked for
  std::shared_ptr<const Influences> influences = {};  // where they were asked for
  std::vector<Explained> explained = {};  // by layer and class, where random inputs' logits are known
};

}  // namespace atcav
