#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/effect.h"
#include "atcav/interval.h"
#include "atcav/matrix.h"
#include "atcav/theory.h"

// What a Result (result.h) says beside its effect and its scores: how sure both are, what the layer encodes,
// and what speaks for or against use.
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
  // Of accuracy and AUC the one whose interval reaches lower, which statements on encoding name. Both must be
  // above chance: if only the spreads of the two sets differ, a threshold may find that and a ranking does
  // not.
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

// The verdict of first order on use, with both errors controlled: no evidence is not evidence of absence.
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
  // With this many times the examples and inputs it would be decided with probability 0.8, if d is as
  // estimated (stats::deciding_factor). Empty if it is decided or d's error is unknown.
  std::optional<double> factor = {};
};

// What the examples of a CAV tell about it.
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

// What is known of a given direction. Of the three samples behind a result, the concept's examples, the
// random ones and the inputs, only the inputs are there.
struct FromInputs {
  double bonferroni = 1;  // of effect.p (E S̄ = 0 over new inputs), over everything tested in the call
  double benjamini_hochberg = 1;
  // Against directions of its length drawn evenly over the sphere (stats::random_direction_p).
  struct Baseline {
    double logits = 0;  // standard deviation of their effects: |w|·|z̄|/√d
    double p = 1;       // share of them with an effect at least as large
    double bonferroni = 1;
    double benjamini_hochberg = 1;
    Index drawn = 0;         // directions, from a stream keyed by seed and layer
    double significant = 0;  // share of these whose own test over inputs, uncorrected, is below 1 - level
  } baseline;
};

// Of a concept that is a column of a pool's labels (include/atcav/groups.h). It is not fitted on parts of the
// examples, so Multi-TCAV, the extrapolation, held-out accuracy, differs_p and welch_p are not known.
struct LabelFacts {
  bool numbers = false;  // not 0/1: one step is one standard deviation of the label
  Index rows = 0;        // of the pool that have this label
  double sd = 1;         // of the label over them
};

// Does the layer encode a label beyond the others? Held-out rows are scored along the direction, and the
// scores are correlated with what the other labels leave of this one (stats/label_encoding.h).
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
  double inflation = 1;   // of its variance, because labels are correlated: 1/(1 - R²)
  double bonferroni = 1;  // of p, over all joint effects of the call
  double benjamini_hochberg = 1;
  std::optional<LabelEncoding> encoding = {};  // missing for pools too large for it
};

// Numbers of groups of rows behind the errors of the effect.
struct GroupCounts {
  std::optional<Index> examples;
  std::optional<Index> inputs;
};

enum class Use { kFor, kAgainst, kNoEvidence };

// Evidence for or against a class using a concept (pipeline/verdict.h). At most four lines: "first order"
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

// A concept as a region of the layer instead of a direction (concept activation regions, Crabbé and van der
// Schaar 2022; docs/theory/region.md): a support vector machine with the kernel k(x, y) = exp(-|x - y|²/m²),
// whose score g(h) is high where activations look like the concept's.

// A region at class inputs, where their activations are known.
struct RegionAtInputs {
  double inside = 0;  // share of the inputs with g above the threshold: the TCAR score
  stats::Interval inside_interval{0, 1};
  // z_j·∇g(h_j), in logits per way between the sets' means along a gradient of root mean square length.
  std::vector<double> sensitivities;
  double logits = 0;               // their mean
  stats::Interval interval{0, 0};  // over new examples and new inputs
  double p = 1;                    // the mean is 0
  double bonferroni = 1;           // over all regions of the call
  double benjamini_hochberg = 1;
};

struct Region {
  double width = 0;  // m: the median distance between examples
  // Of rows scored by fits without them, as a direction's (Accuracy).
  double held_out = 0;
  stats::Interval interval{0, 1};
  double auc = 0;
  stats::Interval auc_interval{0, 1};
  // Less the accuracy of the direction, on the rows that both were counted on without having seen them.
  double gain = 0;
  stats::Interval gain_interval{-1, 1};
  bool tells_better() const { return gain_interval.low > 0; }
  std::optional<RegionAtInputs> inputs = {};
};

}  // namespace atcav
