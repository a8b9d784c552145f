#include "fit/newton_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/logistic_loss.h"
#include "stats/logistic.h"
#include "stats/normal.h"
#include "stats/svm.h"

namespace atcav::span {
namespace {

using stats::CavMethod;

constexpr double kTolerance = 3e-9;   // error of w over |w|
constexpr double kLeastRough = 1e-5;  // what a step in float leaves of its error
constexpr double kRoughRounding = 1e-6;
constexpr double kSameStep = 0.1;  // how far float's idea of a step's length may be off
constexpr double kFarAway = 1e-3;  // there float's products serve as a point to start from
constexpr double kFloor = 1e-13;
constexpr double kNothing = 1e-15;  // of |w|² over the square of what its rows add up to: rounding alone
constexpr int kMostSteps = 60;
constexpr double kNearEnough = 0.3;  // error of w where the equations with D½ K D½ are the shorter way
constexpr double kUseful = 0.3;      // length of a step, the whole one being 1
constexpr double kLoosest = 0.3;     // part of the gradient that a step downhill may leave
constexpr int kMostRough = 150;  // products of a step of svm in float: more where rows nearly repeat others

}  // namespace

NewtonFit::NewtonFit(WeightedRows rows, const stats::CavOptions& options, const TopSpace& top,
                     const FitPoint* start)
    : rows_(std::move(rows)), options_(options), top_(&top), sides_(start == nullptr) {
  const Index n = rows_.weights.size();
  if (start != nullptr) {
    at_ = *start;
  } else {
    at_.coefficients = Vector::Zero(n);
    at_.products = Vector::Zero(n);
  }
  if (start == nullptr && options_.method == CavMethod::kLogistic) {
    downhill_ = top.filled < 0.5 * static_cast<double>(n);
    stage_ = Stage::kStart;
    request_ = means_apart();
  } else {
    begin_step();
  }
}

Vector NewtonFit::means_apart() const {
  const auto share = [&](double label) -> Vector {
    const Vector own = (rows_.labels.array() == label).cast<double>() * rows_.weights.array();
    return own / own.sum();
  };
  return share(1) - share(-1);
}

// The best t and b for w = t·(difference of means): logistic regression with one column.
void NewtonFit::find_length(const VectorRef& product) {
  const double length = std::sqrt(std::max(request_.dot(product), 0.0));
  if (length > 0 && (rows_.weights.array() == 1).all()) {
    const stats::Cav best = stats::fit_logistic(product / length, rows_.labels, options_.cost);
    at_.coefficients = request_ * (best.direction(0) / length);
    at_.products = product * (best.direction(0) / length);
    at_.intercept = best.intercept;
  }
  begin_step();
}

void NewtonFit::begin_step() {
  const Vector& w = rows_.weights;
  margins_ = at_.products.array() + at_.intercept;
  Vector curved;
  switch (options_.method) {
    case CavMethod::kRidge:
      curved = w / (options_.lambda * w.sum());
      pulls_ = curved.cwiseProduct(rows_.labels - margins_);
      break;
    case CavMethod::kLogistic:
      pulls_ = logistic_pulls(rows_, options_.cost, margins_);
      curved = options_.cost * w.cwiseProduct(margins_.unaryExpr(&stats::sigmoid_derivative));
      break;
    default:
      sides_.choose(rows_, options_.cost, top_->diagonal, at_);
      pulls_ = sides_.pulls();
      curved = sides_.curved();
  }
  roots_ = curved.cwiseSqrt();
  if (downhill_) {
    descent_.emplace(pulls_ - at_.coefficients - curved * (pulls_.sum() / curved.sum()), curved);
    products_of_step_ = 0;
    stage_ = Stage::kDescent;
    request_ = descent_->residual();
    return;
  }
  near_.emplace(*top_, curved);
  const Vector gap = pulls_ - at_.coefficients;
  // Where the conjugate gradients start: the solution if K were what is known of it.
  solution_ = -(*near_)(near_->guess(gap));
  if (options_.has_intercept()) {
    constrained_ = (*near_)(roots_);
    curved_ = roots_.dot(constrained_);
    const double sum = pulls_.sum() + roots_.dot(solution_);
    solution_ -= constrained_ * (sum / curved_);
  }
  change_ = gap + roots_.cwiseProduct(solution_);
  stage_ = Stage::kGradient;
  request_ = change_;
}

void NewtonFit::answer(const VectorRef& product) {
  ++products_;
  switch (stage_) {
    case Stage::kStart:
      find_length(product);
      break;
    case Stage::kGradient:
      start_conjugates(product);
      break;
    case Stage::kDescent:
      descend(product);
      break;
    case Stage::kCheck:
      check_step(product);
      break;
    case Stage::kMeans:
      stage_ = Stage::kConverged;
      if (request_.dot(product) <=
          kNothing * std::pow(request_.cwiseAbs().dot(top_->diagonal.cwiseSqrt()), 2))
        become_nothing();
      break;
    case Stage::kRefresh:
      at_.products = product;
      begin_step();
      if (is_svm() && sides_.changed() == 0 && left_ <= kTolerance) settle();
      break;
    default:
      take_conjugate(product);
  }
}

void NewtonFit::refresh() {
  stage_ = Stage::kRefresh;
  request_ = at_.coefficients;
}

// The step once more.
void NewtonFit::use_double() {
  rough_ = false;
  products_ = 0;
  refresh();
}

// Ridge and logistic regression are 0 where the means of both sets are the same, which takes one more product
// where w is small enough to be rounding.
void NewtonFit::converge() {
  stage_ = Stage::kConverged;
  const double squared = at_.coefficients.dot(at_.products);
  // The pulls are γ at the optimum; where rows repeat each other γ itself may be far smaller.
  const Vector parts = pulls_.cwiseProduct(top_->diagonal.cwiseSqrt());
  if (is_svm()) {
    const Vector alphas = rows_.labels.cwiseProduct(at_.coefficients);
    const Vector short_of = 1 - rows_.labels.array() * (at_.products.array() + at_.intercept);
    const double doubt = 4 * stats::svm_gap(short_of, alphas, options_.cost * rows_.weights);
    if (squared <= doubt + kNothing * static_cast<double>(parts.size()) * parts.squaredNorm())
      become_nothing();
  } else if (squared <= kNothing * std::pow(parts.cwiseAbs().sum(), 2)) {
    stage_ = Stage::kMeans;
    request_ = options_.has_intercept() ? means_apart() : Vector(rows_.weights.cwiseProduct(rows_.labels));
  }
}

void NewtonFit::descend(const VectorRef& product) {
  const double left = descent_->left(product);
  if (products_of_step_++ == 0) {
    const double summed = descent_->residual().cwiseAbs().dot(top_->diagonal.cwiseSqrt());
    if (rough_ && !(left > kRoughRounding * summed * summed)) {
      use_double();
      return;
    }
    const double size = std::max(at_.coefficients.dot(at_.products), 0.0);
    least_ = std::max(std::min(kLoosest, 0.5 * left / last_gradient_), rough_ ? kLeastRough : kFloor);
    if (left > 0) least_ = std::max(least_, std::min(kLoosest, 0.1 * kTolerance * std::sqrt(size / left)));
    last_gradient_ = left;
    target_ = least_ * least_ * left;
    // A square below 0 by more than rounding is none: K is no X Xᵀ.
    if (!std::isfinite(target_) || left < -kRoughRounding * summed * summed) {
      stage_ = Stage::kFailed;
      return;
    }
  }
  if (left > target_ && products_ <= most_products() && descent_->advance(product)) {
    request_ = descent_->residual();
    return;
  }
  change_ = descent_->change();
  change_product_ = descent_->change_product();
  finish_step();
}

// z = M⁻¹ r within the constraint.
void NewtonFit::precondition() {
  preconditioned_ = (*near_)(residual_);
  if (!options_.has_intercept()) return;
  // Taken out of the residual too, or rounding in what is taken out would grow.
  const double along = roots_.dot(preconditioned_) / curved_;
  residual_ -= along * roots_;
  preconditioned_ -= along * constrained_;
}

void NewtonFit::start_conjugates(const VectorRef& product) {
  change_product_ = product;
  residual_ = -roots_.cwiseProduct(product) - solution_;
  precondition();
  squared_ = residual_.dot(preconditioned_);
  if (steps_ == 0) first_ = squared_;
  const double size = std::max(at_.coefficients.dot(at_.products), 0.0);
  const double moved = std::max(change_.dot(change_product_), 0.0);
  const double error = std::sqrt(moved / std::max({size, moved, 1e-300}));
  error_ = error;
  // Loose while the problem still changes, and no tighter than the end needs.
  least_ = 0.1 * kTolerance / std::max(error, kTolerance);
  // As the steps themselves converge (Eisenstat and Walker's second choice).
  if (options_.method == CavMethod::kLogistic)
    least_ = std::max(least_, std::min(0.9 * std::pow(error / last_error_, 1.6), 0.1));
  last_error_ = error;
  if (is_svm() && sides_.changed() == 0 && left_ <= kFarAway && error <= kTolerance) {
    settle();
    return;
  }
  if (rough_) least_ = std::max(least_, kLeastRough);
  // Rows that still change sides move the solution further than what a loose step leaves.
  if (is_svm() && sides_.changed() > 0) {
    const bool smooth = sides_.changed() == rows_.weights.size();
    least_ = std::max(least_, std::min(0.3 * std::pow(error, 0.7), smooth ? 0.1 : 0.2));
  }
  target_ = std::max(least_ * least_ * squared_, kFloor * kFloor * first_);
  if (!(squared_ > target_)) {
    finish_step();
    return;
  }
  products_of_step_ = 0;
  direction_ = preconditioned_;
  stage_ = Stage::kConjugate;
  request_ = roots_.cwiseProduct(direction_);
}

// About what a direct solver costs; for logistic regression there is none that does without such products.
Index NewtonFit::most_products() const {
  return options_.method == CavMethod::kLogistic ? 5000 : 300 + rows_.weights.size() / 4;
}

void NewtonFit::take_conjugate(const VectorRef& product) {
  const Vector image = direction_ + roots_.cwiseProduct(product);
  const double length = squared_ / direction_.dot(image);
  ++products_of_step_;
  const bool stuck = products_ > most_products() || (is_svm() && rough_ && products_of_step_ > kMostRough);
  if (!(length > 0 && std::isfinite(length)) || stuck) {
    if (!rough_) {
      stage_ = Stage::kFailed;
      return;
    }
    use_double();
    return;
  }
  change_ += length * request_;
  change_product_ += length * product;
  residual_ -= length * image;
  precondition();
  const double next = residual_.dot(preconditioned_);
  if (next <= target_) {
    finish_step();
    return;
  }
  direction_ = preconditioned_ + (next / squared_) * direction_;
  squared_ = next;
  request_ = roots_.cwiseProduct(direction_);
}

// Where rows nearly cancel each other float may have lost the step.
void NewtonFit::finish_step() {
  const double summed = change_.cwiseAbs().dot(top_->diagonal.cwiseSqrt());
  if (rough_ && !(change_.dot(change_product_) > kRoughRounding * summed * summed)) {
    stage_ = Stage::kCheck;
    request_ = change_;
  } else {
    take_step();
  }
}

void NewtonFit::check_step(const VectorRef& product) {
  const double thought = change_.dot(change_product_);
  const double moved = change_.dot(product);
  if (std::abs(moved - thought) <= kSameStep * moved) {
    change_product_ = product;
    take_step();
  } else {
    rough_ = false;
    begin_step();
  }
}

void NewtonFit::take_step() {
  const double moved = change_.dot(change_product_);
  double intercept = 0;
  const Vector curved = roots_.cwiseAbs2();
  if (options_.has_intercept()) intercept = (pulls_.sum() - curved.dot(change_product_)) / curved.sum();
  double length = 1;
  if (options_.method == CavMethod::kLogistic) {
    length = logistic_step(rows_, options_.cost, margins_, change_product_.array() + intercept,
                           at_.coefficients.dot(change_product_), moved);
  }
  at_.coefficients += length * change_;
  at_.products += length * change_product_;
  at_.intercept += length * intercept;
  const double size = at_.coefficients.dot(at_.products);
  ++steps_;
  const double error = std::sqrt(std::max(moved, 0.0) / std::max({size, moved, 1e-300}));
  left_ = error * least_;
  if (downhill_) left_ = std::max(left_, std::sqrt(target_ / std::max({size, moved, 1e-300})));
  if (options_.method == CavMethod::kRidge)
    left_ = (steps_ > 1 ? 10 : 0.01) * error;  // a second step does nothing
  // Newton's method squares its error: what is left is at most the step's length, by the curvature there,
  // times the largest change of a margin.
  if (options_.method == CavMethod::kLogistic) {
    const Vector moves = change_product_.array() + intercept;
    const double curved_length = std::sqrt(std::max(moved, 0.0) + curved.dot(moves.cwiseAbs2()));
    left_ = std::max(
        left_, curved_length / std::sqrt(std::max({size, moved, 1e-300})) * moves.cwiseAbs().maxCoeff());
  }
  if (steps_ >= kMostSteps || !std::isfinite(size)) {
    stage_ = Stage::kFailed;
    return;
  }
  const bool verified = options_.method == CavMethod::kLogistic || steps_ > 1;
  if (!is_svm() && length == 1 && verified && left_ <= kTolerance) {
    converge();
    return;
  }
  if (options_.method == CavMethod::kLogistic) choose_way(error, length);
  // Near the end each step must leave a small part of the error before, or float is not enough here.
  if (error > 10 * expected_) rough_ = false;
  const bool near =
      is_svm() ? sides_.changed() == 0 : left_ < 0.1 * error || options_.method == CavMethod::kRidge;
  expected_ = near ? left_ : 1;
  if (options_.method != CavMethod::kRidge && left_ > kFarAway) {
    begin_step();
  } else {
    refresh();
  }
}

// What is left of the equations with D½ K D½ says little about w where K has a null space, and an unfinished
// step may be of little use: then downhill until w is roughly right, and if that happens again, to the end.
void NewtonFit::choose_way(double error, double length) {
  if (downhill_) {
    if (wasted_ > 1 || error > kNearEnough) return;
    downhill_ = false;
    last_error_ = error;
    last_step_ = 1;
    return;
  }
  if (length < kUseful || error > last_step_) {
    ++wasted_;
    downhill_ = true;
    last_gradient_ = 0;
  }
  last_step_ = error;
}

void NewtonFit::settle() {
  if (is_svm_optimum(rows_, options_.cost, top_->diagonal, at_)) {
    converge();
  } else if (rough_) {
    rough_ = false;
    begin_step();
  } else {
    stage_ = Stage::kFailed;
  }
}

void NewtonFit::become_nothing() {
  at_.coefficients.setZero();
  at_.products.setZero();
}

}  // namespace atcav::span
