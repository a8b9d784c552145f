#pragma once

#include <optional>

#include "atcav/cav.h"
#include "atcav/matrix.h"
#include "fit/descent_step.h"
#include "fit/fit_point.h"
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
// Newton's method. A step solves (I + D½ K D½) v = r, D = ℓ'', within Σ D½ v = 0 (that is what b does), by
// conjugate gradients preconditioned by what is known of K (top_space.h), one product each. It ends when what
// is left to do is below 3e-9 of w. Logistic regression that knows no better starts from the difference of
// means at its best length: from w = 0 the first dozen steps would only make w longer. Where rows fill few
// directions its first steps are those of descent_step.h. Within a step products in float will do: K γ itself
// is made again in double after each step that matters, so what float loses in one step the next one finds.
namespace atcav::span {

class NewtonFit {
 public:
  // `top`: of K, kept by the caller. `start`: the fit on all rows, or nullptr where there is none.
  NewtonFit(WeightedRows rows, const stats::CavOptions& options, const TopSpace& top, const FitPoint* start);

  bool done() const { return stage_ == Stage::kConverged || stage_ == Stage::kFailed; }
  // False when it gave up: rows so dependent that a direct solver must do it.
  bool converged() const { return stage_ == Stage::kConverged; }
  // Whether the product that is asked for may be in float.
  bool rough() const {
    return rough_ && stage_ != Stage::kStart && stage_ != Stage::kCheck && stage_ != Stage::kRefresh &&
           stage_ != Stage::kMeans;
  }
  // Until it is done: what is to be multiplied by K, and the product.
  const Vector& request() const { return request_; }
  void answer(const VectorRef& product);
  // The solution, ridge's factor √N not yet in it. Exactly 0 where rounding is all there is, and for svm
  // where no direction beats the intercept alone.
  const FitPoint& point() const { return at_; }
  int products_used() const { return products_; }

 private:
  enum class Stage { kStart, kDescent, kGradient, kConjugate, kCheck, kRefresh, kMeans, kConverged, kFailed };

  bool is_svm() const { return options_.method == stats::CavMethod::kSvm; }
  Vector means_apart() const;
  void find_length(const VectorRef& product);
  void begin_step();
  void descend(const VectorRef& product);
  void start_conjugates(const VectorRef& product);
  void take_conjugate(const VectorRef& product);
  void precondition();
  Index most_products() const;
  void finish_step();
  void check_step(const VectorRef& product);
  void take_step();
  void choose_way(double error, double length);
  void refresh();
  void use_double();
  void settle();
  void converge();
  void become_nothing();

  WeightedRows rows_;
  stats::CavOptions options_;
  const TopSpace* top_;
  Stage stage_ = Stage::kGradient;
  Vector request_;
  int products_ = 0;
  int products_of_step_ = 0;
  int steps_ = 0;

  FitPoint at_;
  Vector margins_;  // f
  Vector pulls_;    // -ℓ'
  Vector roots_;    // D½
  std::optional<TopPreconditioner> near_;
  Vector constrained_;  // M⁻¹ D½, and its product with D½
  double curved_ = 0;
  Vector change_, change_product_;
  bool downhill_ = false;  // steps by descent_step.h
  std::optional<DescentStep> descent_;
  double last_gradient_ = 0;  // squared, of the step before
  double last_step_ = 1;
  int wasted_ = 0;                                           // steps that brought little
  Vector solution_, residual_, preconditioned_, direction_;  // of the conjugate gradients
  double squared_ = 0;
  double target_ = 0;
  double first_ = 0;
  double error_ = 0;
  double least_ = 0;
  double last_error_ = 1;
  double expected_ = 1;
  double left_ = 1;  // of the error, after the last step
  bool rough_ = true;
  SvmSides sides_;
};

}  // namespace atcav::span
