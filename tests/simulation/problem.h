#pragma once

#include <cstdint>

#include "atcav/base/matrix.h"
#include "atcav/base/random.h"
#include "atcav/span/projections.h"

// Simulated problems with a known truth, as MATH's: d = 200 columns, m = 60 inputs, random rows
// x ~ N(0, Toeplitz 0.2), concept rows x ~ N(μ, Toeplitz ρ), μ of a given length in a random direction.
//
// What is drawn are projections z_j·x, not rows: given the gradients Z these are normal with mean Zμ and
// covariance ZΣZᵀ exactly, so 60 numbers an example stand for 200 and nothing is approximated.
namespace atcav::simulation {

inline constexpr Index kColumns = 200;
inline constexpr Index kInputs = 60;

// How gradients lean on μ: z_j ~ N(0, I) + ½ξμ.
enum class Lean {
  kDrawn,  // one ξ ~ N(0, 1) a problem
  kOne,    // ξ = 1
};

struct Setting {
  double length = 1;         // |μ|
  double concept_rho = 0.5;  // of the concept's covariance
  Lean lean = Lean::kOne;
};

struct Problem {
  Vector truth;         // ⟨z_j, μ⟩: what S estimates
  Matrix random_root;   // L Lᵀ = Z Σ₁ Zᵀ
  Matrix concept_root;  // L Lᵀ = Z Σ₂ Zᵀ
};

struct Sample {
  span::Projections random;
  span::Projections of_concept;
};

struct Sizes {
  Index random;
  Index of_concept;
};

Problem draw_problem(const Setting& setting, Stream& stream);
// n₁ and n₂ examples.
Sample draw_sample(const Problem& problem, Sizes sizes, Stream& stream);
// Sensitivities of `count` pattern CAVs, each on fresh examples: rows are draws from the law of S.
Matrix draw_sensitivities(const Problem& problem, Sizes sizes, Index count, Stream& stream);

}  // namespace atcav::simulation
