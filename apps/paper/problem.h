#pragma once

#include "atcav/base/matrix.h"
#include "atcav/base/random.h"
#include "atcav/span/projections.h"

// Simulated problems with a known answer, for what goes beyond the paper: random examples ~ N(0, Toeplitz
// 0.2), concept examples ~ N(μ, Toeplitz 0.5) in d dimensions, gradients z_j of m inputs. The sensitivity of
// input j under the population's CAV is ⟨z_j, μ⟩.
//
//   Stream stream(seed, {kTaskSimulation, repeat});
//   Problem problem = make_problem({.length = 0.8}, stream);
//   Examples examples = draw_examples(problem, 50, 50, stream);
namespace atcav::paper {

struct ProblemOptions {
  Index dimension = 200;
  Index inputs = 60;
  double length = 0.8;  // |μ|, in a random direction; 0: the concept is no different from random
  // z_j ~ N(0, I) + pull·μ; with `random_pull` that is times one N(0, 1) for the whole problem.
  double pull = 0.5;
  bool random_pull = false;
  double alike = 0;   // cosine between the gradients of two inputs: 0 in these simulations, more in networks
  bool null = false;  // concept examples are random examples: Toeplitz 0.2, and |μ| is 0
};

struct Problem {
  Vector mean;       // μ
  Matrix gradients;  // m × d
  double concept_rho = 0.5;
  Vector truth() const { return gradients * mean; }
};
Problem make_problem(const ProblemOptions& options, Stream& stream);

// What a pass keeps of n₁ random and n₂ concept examples.
struct Examples {
  span::Projections random;
  span::Projections of_concept;
};
Examples draw_examples(const Problem& problem, Index n_random, Index n_concept, Stream& stream);

// Sensitivities under a pattern CAV from so many examples, drawn from its law N(μ, Σ₁/n₁ + Σ₂/n₂) without
// drawing the examples.
Vector draw_sensitivities(const Problem& problem, Index n_random, Index n_concept, Stream& stream);
// Standard errors of those, exactly.
Vector sensitivity_errors(const Problem& problem, Index n_random, Index n_concept);

}  // namespace atcav::paper
