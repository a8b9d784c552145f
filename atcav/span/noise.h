#pragma once

#include <optional>

#include "atcav/base/matrix.h"
#include "atcav/span/projections.h"
#include "atcav/span/refit.h"
#include "atcav/span/resampling.h"
#include "atcav/stats/score.h"

// How far the CAV's own noise moves sensitivities and scores (docs/theory/interval.md). All m inputs share
// one CAV, so the error of a score is not the average of the inputs' errors: influences are added first.
namespace atcav::span {

// se² = random/n₁ + of_concept/n₂: what planning (stats/planning.h) needs of a pilot.
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
  // The same divided between the two sets, where that is known.
  virtual std::optional<ErrorParts> error_parts(const stats::ScoreRule& /*rule*/) const {
    return std::nullopt;
  }
  // Standard error of the half-sample extrapolation, given the half-sample refits it used (half_runs:
  // complementary pairs).
  virtual double extrapolated_error(const stats::ScoreRule& rule, const Matrix& halves) const = 0;
};

// pattern and fast, in closed form: with v the gradient of the score and u = vᵀP one number per example,
//   se² = var(u, random)/n₁ + var(u, concept)/n₂.
class ClosedFormNoise : public Noise {
 public:
  ClosedFormNoise(Projections random, Projections concept_set, bool fast);
  Vector input_errors() const override;
  double score_error(const stats::ScoreRule& rule) const override;
  std::optional<ErrorParts> error_parts(const stats::ScoreRule& rule) const override;
  double extrapolated_error(const stats::ScoreRule& rule, const Matrix& halves) const override;

 private:
  double error_along(const Vector& gradient) const;

  Projections random_;
  Projections concept_;
  double factor_;  // fast is this times pattern
  Vector full_;
};

// Any method: leave out a group of both sets at a time and refit.
class JackknifeNoise : public Noise {
 public:
  // At most 20 groups, each with at least one row of either set.
  JackknifeNoise(const Refitter& refitter, const ResamplingOptions& options);
  Vector input_errors() const override;
  double score_error(const stats::ScoreRule& rule) const override;
  double extrapolated_error(const stats::ScoreRule& rule, const Matrix& halves) const override;

 private:
  JackknifeRuns runs_;
};

// A score without its attenuation. CAV noise pulls scores towards ½, the more the fewer the examples, so
// concepts with few images look weaker than they are. The pull shrinks like 1/n, hence
//   T∞ = 2T - mean(T on random halves of both sets)
// removes most of it, for any method. `halves`: sensitivities of half-sample refits, one row per refit
// (half_runs). Cut to [0, 1].
double extrapolate(const VectorRef& full, const Matrix& halves, const stats::ScoreRule& rule);

}  // namespace atcav::span
