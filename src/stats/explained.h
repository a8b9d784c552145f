#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "atcav/groups.h"
#include "atcav/interval.h"
#include "atcav/matrix.h"

// How much of a response's variance over rows lies in the span of directions. The rows h_i are known by their
// projections F = H Wᵀ (n × q) and inner products K = H Hᵀ alone.
//
//   SpanDesign design(features, products, {}, {.seed = 1});
//   SpanShare found = design.explain(logit);   // found.share, found.interval, found.shapley
//
// The response f is regressed on F with an intercept, fold by fold: with e_i the error on a row that the fit
// has not seen and h̄ the mean leverage of a fold's rows, x̃ᵀ(X̃ᵀX̃)⁻¹x̃, e² has the mean σ²(1 + h̄), so
//   SSE = Σ_i e_i²/(1 + h̄),   v(A) = 1 - SSE(A)/SSE(nothing)
// estimates the share that the best linear combination would have, without what it costs to fit it; it may
// fall below 0 by chance. Where rows come in groups whose errors have correlation ρ, as held-out ones show, h
// is (1 - ρ)h + ρ x̃ᵀ(X̃ᵀX̃)⁻¹(Σ_g s_g s_gᵀ)(X̃ᵀX̃)⁻¹x̃, s_g the sum of a group's x̃. Shapley shares are those of v
// over all subsets of the q directions.
//
// Errors are of the rows, by groups: ψ_i = ((1 - v)u_i(∅) - u_i(A))·n/SSE(∅), u = e²/(1 + h̄), and beside it
// 2q(1 - v)²/n², which is all there is where nothing is explained. The interval of v is one of log(1 - v).
//
// The ceiling is v of the directions and ridge on everything else, with the penalty chosen within each
// fold's training rows by generalised cross-validation, infinity included; fitted on n rows it is a lower
// bound of what is linear in h.
namespace atcav::stats {

inline constexpr Index kMostShapley = 15;

struct SpanOptions {
  Index folds = 10;
  Index random = 100;  // draws of as many directions
  double level = 0.95;
  std::uint64_t seed = 0;
  std::uint64_t key = 0;  // of the layer: the same folds and draws for all responses
  int threads = 0;
};

struct SpanShare {
  double share = 0;
  double error = 0;
  Interval interval{0, 1};
  double random_mean = 0;  // of directions drawn evenly over the sphere
  double random_sd = 0;
  double ceiling = 0;
  std::vector<double> shapley;  // empty for more than kMostShapley directions
  std::vector<Interval> shapley_intervals;
};

class SpanDesign {
 public:
  // std::invalid_argument where fits would have fewer than two rows per coefficient (fits() says).
  SpanDesign(const Matrix& features, const Matrix& products, const Groups& groups,
             const SpanOptions& options);
  ~SpanDesign();
  SpanDesign(const SpanDesign&) = delete;
  SpanDesign& operator=(const SpanDesign&) = delete;
  static bool fits(Index rows, Index directions);

  // Nothing for a response that does not vary.
  std::optional<SpanShare> explain(const VectorRef& response) const;

 private:
  struct Fold;
  struct Fit;
  std::vector<Fold> folds_of(const Matrix& features) const;
  Vector held_out(const std::vector<Fold>& folds, const VectorRef& response,
                  const std::vector<Index>& chosen) const;
  double error_of(const Vector& influences) const;
  double likeness(const Vector& errors) const;
  void add_shapley(SpanShare& found, const VectorRef& response, const Vector& nothing) const;
  double ceiling(const VectorRef& response, const Vector& nothing) const;

  SpanOptions options_;
  Groups groups_;
  std::vector<Index> fold_of_;  // of each row
  Index fold_count_ = 0;
  Matrix features_;  // in standard deviations
  Matrix products_;
  std::vector<Fold> own_;
  std::vector<std::vector<Fold>> random_;
  std::vector<Fit> rest_;  // ridge on what the directions leave, by fold
};

}  // namespace atcav::stats
