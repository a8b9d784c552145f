#pragma once

#include <string>
#include <vector>

#include "atcav/discover.h"

// What a person's named concepts say of found directions.
namespace atcav {

// Of a layer: the ways from the random mean to each named concept's.
struct NamedSteps {
  std::vector<std::string> names;
  Matrix steps;  // a row per name
  std::vector<std::string>
      noise;  // names left out: more than half of the squared length of their way is noise

  // `rows` and `random`: pooled activations. The noise is Σ_c [var_c(rows)/n + var_c(random)/n].
  void add(const std::string& name, const Matrix& rows, const Matrix& random);
  // Fills nearest, nearest_cosine and explained.
  void describe(Candidate& candidate, const Vector& direction) const;
};

// 0 where one of them is zero.
double cosine_between(const Vector& a, const Vector& b);

}  // namespace atcav
