#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "apps/paper/figure.h"
#include "atcav/matrix.h"
#include "atcav/random.h"
#include "atcav/score.h"
#include "atcav/theory.h"
#include "pass/projections.h"

// The simulator: problems whose answer is known, for the experiments beyond the paper and for
// tests/simulation.
//
// Examples are rows of d numbers, random ones ~ N(0, Toeplitz 0.2), the concept's ~ N(μ, Toeplitz ρ). A class
// has m inputs with gradients z_j ~ N(0, I) + pull·μ. With unlimited examples the pattern CAV would be μ and
// the sensitivity of input j would be ⟨z_j, μ⟩: that is the truth. With n₁ + n₂ examples the CAV is
// N(μ, Σ₁/n₁ + Σ₂/n₂), and whatever is said about sensitivities, scores and tests can be held against it:
//
//   for_each_draw(100, options, "example", {}, [&](Index i, Stream& stream) {
//     Problem problem = make_problem({.length = 0.8}, stream);
//     Examples examples = draw_examples(problem, 50, 50, stream);     // what a run would be given
//     Vector estimated = examples.of_concept.mean() - examples.random.mean();
//     Vector right = problem.truth();                                 // what it would like to know
//   });
namespace atcav::paper {

// body(i, stream) for i = 0 … count-1 on options.threads, each with a stream of its own, which depends on the
// seed, the experiment's name, the key if there is one, and i.
void for_each_draw(Index count, const PaperOptions& options, std::string_view name,
                   std::optional<std::uint64_t> key, const std::function<void(Index, Stream&)>& body);

inline constexpr double kRandomRho = 0.2;

struct ProblemOptions {
  Index dimension = 200;  // d
  Index inputs = 60;      // m
  double length = 0.8;    // |μ|, in a random direction; 0: only the covariance tells concept from random
  double concept_rho = 0.5;
  double pull = 0.5;         // how gradients lean on μ
  bool random_pull = false;  // pull times one N(0, 1), the same for all inputs of the problem
  double alike = 0;          // cosine between the gradients of two inputs: 0 here, more in networks
  bool null = false;         // the concept's examples are random ones: μ = 0 and ρ = 0.2 once z_j are drawn
};

struct Problem {
  Vector mean;       // μ
  Matrix gradients;  // m × d
  double concept_rho = 0.5;
  Vector truth() const { return gradients * mean; }
};
// std::invalid_argument for a dimension below 1 or a negative length.
Problem make_problem(const ProblemOptions& options, Stream& stream);

// What a pass keeps of n₁ random and n₂ concept examples.
struct Examples {
  pass::Projections random;
  pass::Projections of_concept;
};
Examples draw_examples(const Problem& problem, Index n_random, Index n_concept, Stream& stream);

// Sensitivities under `count` pattern CAVs, each from that many fresh examples: rows are CAVs, columns
// inputs. CAVs are drawn from their law, so that no examples need be.
Matrix draw_sensitivities(const Problem& problem, Index n_random, Index n_concept, Index count,
                          Stream& stream);
// Their standard errors, exactly; one per input.
Vector sensitivity_errors(const Problem& problem, Index n_random, Index n_concept);
// A score for each row of those.
Vector scores_of(const Matrix& sensitivities, const stats::ScoreRule& rule);

// The paper's own data: two normals with means -μ (random) and μ (concept), |μ| = length in a random
// direction, and Toeplitz covariances 0.2 and 0.4.
stats::TwoClasses make_classes(Index dimension, double length, Index n_random, Index n_concept,
                               Stream& stream);
// Rows of both, which need not be as many as the classes say.
struct ClassRows {
  Matrix random;
  Matrix of_concept;
};
ClassRows draw_rows(const stats::TwoClasses& classes, Index n_random, Index n_concept, Stream& stream);

}  // namespace atcav::paper
