#pragma once

#include "pass/pass.h"
#include "stats/variance_parts.h"

// What other examples would have done to means, from the sums over groups of rows that a pass keeps: rows
// themselves are forgotten. With about 20 groups of each set errors have 19 degrees of freedom or so instead
// of n - 1; their intervals are 7 % longer than with all rows (4 % for 10 groups against 20).
namespace atcav {

// Both sets of a test at a layer: means of groups around the pass's centre, the concept's below the random
// ones. Every mean of examples, with or without a group, is a combination of these rows.
class ExampleGroups {
 public:
  // Paired: group g of both sets holds the same pairs, which come and go together.
  ExampleGroups(const pass::Pass& pass, Index concept_set, Index random_set, bool paired = false);

  const Matrix& means() const { return means_; }  // random groups, then the concept's; columns of the layer
  const Vector& centre() const { return centre_; }
  Index random_groups() const { return random_.size(); }
  Index concept_groups() const { return concept_.size(); }

  // Coefficients of the rows: of the random mean, of δ = x̄_concept - x̄_random.
  Vector random_mean() const;
  Vector difference() const;
  // The same without a group, one row for each: random groups first.
  Matrix random_means_without() const;
  Matrix differences_without() const;
  // Differences between random halves of the random groups.
  Matrix halves(Index count, std::uint64_t seed) const;

  // The variance of g·δ, given what g makes of the rows: var(g·x)/n of each set, from their groups.
  std::vector<stats::VariancePart> variance_along(const VectorRef& products) const;
  // Of anything smooth in the examples, by leaving out a group at a time (groups may differ in size: Busing,
  // Meijer & van der Leeden 1999): how far it moves without each.
  std::vector<stats::VariancePart> jackknife(const VectorRef& changes) const;

 private:
  Vector random_;   // rows in each group
  Vector concept_;  // likewise
  bool paired_;
  Vector centre_;
  Matrix means_;
};

}  // namespace atcav
