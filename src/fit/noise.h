#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "atcav/matrix.h"
#include "atcav/score.h"
#include "fit/refit.h"
#include "fit/resampling.h"
#include "pass/projections.h"

// How far the CAV's own noise moves sensitivities and scores (docs/theory/interval.md). All m inputs share
// one CAV, so the error of a score is not the average of the inputs' errors: influences are added first.
namespace atcav::fit {

// se² = random/n₁ + of_concept/n₂: what planning (include/atcav/planning.h) needs of a pilot.
struct ErrorParts {
  double random = 0;
  double of_concept = 0;
};

class Noise {
 public:
  virtual ~Noise() = default;
  // se_j of each sensitivity.
  virtual Vector input_errors() const = 0;
  // Standard error of a smooth score on the full set of examples.
  virtual double score_error(const stats::ScoreRule& rule) const = 0;
  // Standard error of v·S, one weight per input: 1/m each for the mean sensitivity.
  virtual double error_along(const VectorRef& weights) const = 0;
  // The same divided between the two sets, where that is known.
  virtual std::optional<ErrorParts> parts_along(const VectorRef& /*weights*/) const { return std::nullopt; }
  // Covariance of S_first … S_first+count-1. Its diagonal is error_along's square for one input at a time.
  virtual Matrix covariance(Index first, Index count) const = 0;
  // Degrees of freedom of error_along, at least 1; 0: closed form, whose parts have n₁ - 1 and n₂ - 1.
  virtual double degrees() const { return 0; }
  // Standard error of the half-sample extrapolation, given the half-sample refits it used
  // (half_drawing: complementary pairs).
  virtual double extrapolated_error(const stats::ScoreRule& rule, const Matrix& halves) const = 0;
};

// A set's projections with what each test against the set asks of them.
class SharedRows {
 public:
  explicit SharedRows(pass::Projections projections);
  const pass::Projections& projections() const { return projections_; }
  const Vector& variance() const { return variance_; }
  // Of some inputs, found once. From any thread.
  const Matrix& covariances(Index first, Index count) const;

 private:
  pass::Projections projections_;
  Vector variance_;
  mutable std::mutex finding_;
  mutable std::map<std::pair<Index, Index>, Matrix> covariances_;
};

// pattern and fast, in closed form: with v the gradient of the score and u = vᵀP one number per example,
//   se² = var(u, random)/n₁ + var(u, concept)/n₂.
class ClosedFormNoise : public Noise {
 public:
  ClosedFormNoise(const pass::Projections& random, const pass::Projections& concept_set, bool fast);
  // The same where the sensitivities on all examples are known already.
  ClosedFormNoise(std::shared_ptr<const SharedRows> random, pass::Projections concept_set, bool fast,
                  Vector full);
  Vector input_errors() const override;
  double score_error(const stats::ScoreRule& rule) const override;
  double error_along(const VectorRef& weights) const override;
  std::optional<ErrorParts> parts_along(const VectorRef& weights) const override;
  Matrix covariance(Index first, Index count) const override;
  double extrapolated_error(const stats::ScoreRule& rule, const Matrix& halves) const override;

 private:
  std::shared_ptr<const SharedRows> random_;
  pass::Projections concept_;
  double factor_;  // fast is this times pattern
  Vector full_;
};

// The same where row i of both sets belongs together: se² = var(u_concept - u_random)/n, of n - 1 degrees.
class PairedNoise : public ClosedFormNoise {
 public:
  PairedNoise(const pass::Projections& random, const pass::Projections& concept_set, bool fast, Vector full);
  std::optional<ErrorParts> parts_along(const VectorRef& weights) const override;
  double degrees() const override { return degrees_; }

 private:
  double degrees_;
};

// Any method: leave out a group of both sets at a time and refit. Which rows share a group is drawn; one
// drawing's error of a linear functional (error_along, covariance) is off by a factor of up to 2, so those
// average variances over several. Scores use the first.
//
// svm depends on a few support vectors: without some rows it mostly stays as it is and now and then jumps,
// and a jackknife multiplies the jumps. Its functionals take fits on disjoint parts of the rows, which are
// independent: the mean of (S_A - S_B)²/2 over pairs of halves is the variance V at half the rows, whatever
// the fit, and so with quarters. What half the rows are to a quarter, all are taken to be to half:
//   V(n) = V(n/2)·r,  r = V(n/2)/V(n/4) kept within ½ (a mean) and 1 (more rows are no help),
// r over all inputs together. Below four rows in a set there are no quarters and r is 1. Refits must be in
// steps (fit/fit_refitter.h).
class JackknifeNoise : public Noise {
 public:
  // At most 20 groups, each with at least one row of either set. `smooth`: a row's part in the fit is small.
  JackknifeNoise(const Refitter& refitter, bool smooth, const ResamplingOptions& options);
  Vector input_errors() const override;
  double score_error(const stats::ScoreRule& rule) const override;
  double error_along(const VectorRef& weights) const override;
  Matrix covariance(Index first, Index count) const override;
  double degrees() const override;
  double extrapolated_error(const stats::ScoreRule& rule, const Matrix& halves) const override;

 private:
  bool smooth_;
  Matrix runs_;        // groups × m: without each group of the first drawing
  Matrix halves_;      // 4·groups × m: halves of what those kept
  Matrix deviations_;  // of all drawings or pairs of halves, × m: covariance = deviationsᵀ·deviations
};

// A score without its attenuation. CAV noise pulls scores towards ½, the more the fewer the examples, so
// concepts with few images look weaker than they are. The pull shrinks like 1/n, hence
//   T∞ = 2T - mean(T on random halves of both sets)
// removes part of it, for any method (docs/theory/interval.md). `halves`: sensitivities of half-sample
// refits, one row per refit (half_drawing). Cut to [0, 1].
double extrapolate(const VectorRef& full, const Matrix& halves, const stats::ScoreRule& rule);

}  // namespace atcav::fit
