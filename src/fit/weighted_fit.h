#pragma once

#include "atcav/cav.h"
#include "atcav/matrix.h"
#include "fit/fit_point.h"
#include "fit/product_task.h"
#include "fit/svm_sides.h"
#include "fit/top_space.h"

// One ridge, logistic or svm fit on weighted rows, which sees the rows only through products K·v, K = X Xᵀ,
// that somebody else makes: many fits on the same rows ask, one matrix product answers all (shared_fits.h).
//
// Each method minimises ½|w|² + Σ ℓᵢ(fᵢ), f = X w + b, with w = Xᵀγ. Row i counts ωᵢ times: 0 where it is
// left out, k where a bootstrap drew it k times.
//   ridge     ℓ = ω (y - f)²/(2λN), N = Σω; b = 0 unless centred. w times √N is that of include/atcav/cav.h
//   logistic  ℓ = ω C log(1 + exp(-y f))
//   svm       ℓ = ω C max(0, 1 - y f), by the side of its margin that each row is on (svm_sides.h)
//
// Newton's method. A step δ of γ solves (I + D K) δ = g, D = ℓ'', g = -ℓ' - γ, within Σ (γ + δ) = 0 (that is
// what b does), by conjugate gradients, one product each, in one of two forms. With δ = g + D½ v it is
// (I + D½ K D½) v = -D½ K g, preconditioned by what is known of K (top_space.h): short where rows are many
// columns wide. In the inner product aᵀK b, that of w itself, it is symmetric as it stands: every iterate
// goes downhill, however early it is stopped and whatever K's rank, but there is no preconditioner.
//
// It ends when what is left to do is below 3e-9 of w. Logistic regression that knows no better starts from
// the difference of means at its best length: from w = 0 the first dozen steps would only make w longer.
// Within a step products in float will do: K γ itself is made again in double after each step that matters,
// so what float loses in one step the next one finds.
namespace atcav::fit {

class WeightedFit {
 public:
  // `top`: of K, kept by the caller. `start`: the fit on all rows, or nullptr where there is none.
  WeightedFit(WeightedRows rows, const stats::CavOptions& options, const TopSpace& top,
              const FitPoint* start);
  WeightedFit(const WeightedFit&) = delete;
  WeightedFit& operator=(const WeightedFit&) = delete;

  bool done() const { return task_.done(); }
  // Until it is done: what is to be multiplied by K, whether in float will do, and the product.
  const Vector& request() const { return products_.request(); }
  bool rough() const { return products_.rough(); }
  void answer(const Vector& product) { products_.answer(product); }

  const WeightedRows& rows() const { return rows_; }
  // False when it gave up: rows so dependent that a direct solver must do it.
  bool converged() const { return task_.result(); }
  // The solution, ridge's factor √N not yet in it. Exactly 0 where rounding is all there is.
  const FitPoint& point() const { return at_; }
  int products_used() const { return products_.used(); }

 private:
  enum class Solved { kStep, kNothingToDo, kLostInFloat, kFailed };

  bool is(stats::CavMethod method) const { return options_.method == method; }
  ProductTask<bool> run(bool cold);
  ProductTask<bool> start_at_means();
  void bend();
  ProductTask<Solved> solve_preconditioned();
  ProductTask<Solved> solve_downhill();
  ProductTask<Solved> step();
  double take_step();
  bool is_lost(const Vector& vector, double squared) const;
  void choose_accuracy(double error);
  void choose_way(double length);
  bool has_budget(int first) const;
  ProductTask<bool> finish();
  Vector means_apart() const;

  WeightedRows rows_;
  stats::CavOptions options_;
  const TopSpace* top_;
  Vector lengths_;  // of rows
  SvmSides sides_;
  FitPoint at_;
  bool rough_ = true;
  int budget_from_ = 0;  // products before

  Vector margins_;  // f
  Vector pulls_;    // -ℓ'
  Vector curved_;   // D
  Vector change_, change_product_;
  double accuracy_ = 1;      // of a step: what it leaves of the error
  double error_ = 1;         // of w, before the last step
  double left_ = 1;          // after it
  double left_squared_ = 0;  // of w's error, where it is known
  double last_error_ = 1;
  double first_squared_ = 0;

  bool downhill_;
  int wasted_ = 0;            // steps that brought little
  double last_gradient_ = 0;  // squared, of the step before
  double last_step_ = 1;

  Products products_;
  ProductTask<bool> task_;
};

}  // namespace atcav::fit
