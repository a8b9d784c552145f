#pragma once

#include <optional>
#include <utility>

#include "stats/conjugate_gradients.h"
#include "stats/newton.h"
#include "stats/svm.h"

namespace atcav::stats {

// One fit between products with K.
class NewtonFit {
 public:
  NewtonFit(const FitSetting& setting, WeightedRows rows, const FitPoint* start);

  WeightedFit fit;
  bool in_float = true;
  bool done = false;

  // A step: its first guess, the search, and the step itself. Each vector is to be multiplied by K.
  const Vector& begin();
  void search(Vector product);
  bool is_solved();
  const Vector& request();
  void advance(const Vector& product);
  void take_step();
  void refresh(Vector product);
  // Ridge and logistic regression are 0 where the means of both sets are the same, but for rounding: their
  // difference, whose product with K tells.
  const Vector& apart();
  void settle(const Vector& product);
  // At the end.
  void settle_svm() { fit = stats::settle_svm(*setting_->kernel, std::move(fit), cost_); }

 private:
  bool is(CavMethod method) const { return setting_->options.method == method; }
  Bend bend();
  Vector precondition(Vector& residual) const;
  double accuracy(double error) const;
  void solve_directly();
  struct Step {
    double length, moved, intercept;  // moved: |w|² of it
    Vector moves;                     // of the margins
  };
  Step measured() const;
  void start_anew();
  double next_cost(bool separable) const;
  FitPoint nothing(double intercept = 0) const {
    const Vector zero = Vector::Zero(fit.rows.weights.size());
    return {zero, zero, intercept};
  }
  void set_to_nothing(double intercept);
  void judge_step(const Vector& moves, double moved);
  void end();
  Vector lengths() const { return setting_->kernel->diagonal().cwiseMax(0).cwiseSqrt(); }

  const FitSetting* setting_;
  double size_;  // mean squared length of a row
  double cost_;
  bool anew_ = false;
  SvmSides sides_;
  Vector margins_;  // f
  Bend bend_;
  Vector roots_;  // D½
  std::optional<TopPreconditioner> near_;
  Vector along_;             // M⁻¹ D½, what the intercept does
  double along_curved_ = 1;  // D½ M⁻¹ D½
  ConjugateGradients search_;
  double first_squared_ = 0;
  int asked_ = 0;
  bool lost_ = false;
  Vector change_, change_product_, request_;  // δ, K δ
  FitPoint before_;
  double length_ = 0;    // of the last step, 1 being the whole
  double left_ = 1;      // of w's error, after it
  double expected_ = 1;  // how long the next one should be
};

}  // namespace atcav::stats
