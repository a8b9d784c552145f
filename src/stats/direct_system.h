#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "atcav/matrix.h"
#include "stats/kernel.h"

// (K + diag(d)) x = v on some rows for one d after another, factorised in the smaller of its two forms and
// refined, because d may span many decades.
namespace atcav::stats {

class DirectSystem {
 public:
  DirectSystem(const Kernel& kernel, const std::vector<Index>& chosen);
  void set_diagonal(const Vector& diagonal);
  Vector solve(const Vector& right) const;
  // K v of these rows.
  Vector times(const Vector& vector) const;

 private:
  Vector solve_once(const Vector& right) const;

  Matrix rows_;  // X, or
  Matrix gram_;  // K
  Vector diagonal_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace atcav::stats
