#include "fit/weighted_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/logistic_loss.h"
#include "stats/logistic.h"
#include "stats/normal.h"
#include "stats/svm.h"

namespace atcav::fit {
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
constexpr double kNearEnough = 0.3;  // error of w where the preconditioned equations are the shorter way
constexpr double kUseful = 0.3;      // length of a step, the whole one being 1
constexpr double kLoosest = 0.3;     // part of the gradient that a step downhill may leave
constexpr int kMostRough = 150;  // products of a step of svm in float: more where rows nearly repeat others

double relative(double squared, double size) {
  return std::sqrt(std::max(squared, 0.0) / std::max({size, squared, 1e-300}));
}

}  // namespace

WeightedFit::WeightedFit(WeightedRows rows, const stats::CavOptions& options, const TopSpace& top,
                         const FitPoint* start)
    : rows_(std::move(rows)),
      options_(options),
      top_(&top),
      lengths_(top.diagonal.cwiseMax(0).cwiseSqrt()),
      sides_(start == nullptr),
      downhill_(start == nullptr && options.method == CavMethod::kLogistic &&
                top.filled < 0.5 * static_cast<double>(rows_.weights.size())),
      task_(run(start == nullptr)) {
  const Vector zero = Vector::Zero(rows_.weights.size());
  at_ = start != nullptr ? *start : FitPoint{zero, zero, 0};
  task_.start();
}

ProductTask<bool> WeightedFit::run(bool cold) {
  if (cold && is(CavMethod::kLogistic)) co_await start_at_means();
  double expected = 1;
  bool refreshed = false;
  for (int steps = 0; steps < kMostSteps;) {
    bend();
    Solved solved = Solved::kNothingToDo;
    if (!(is(CavMethod::kSvm) && refreshed && sides_.changed() == 0 && left_ <= kTolerance))
      solved = co_await step();
    if (solved == Solved::kNothingToDo && is_svm_optimum(rows_, options_.cost, top_->diagonal, at_))
      co_return co_await finish();
    if (solved != Solved::kStep) {
      if (solved == Solved::kFailed || !rough_) co_return false;
      rough_ = false;
      budget_from_ = products_.used();
      refreshed = true;
      at_.products = co_await products_.of(at_.coefficients, false);
      continue;
    }
    const double length = take_step();
    ++steps;
    if (is(CavMethod::kRidge)) left_ = (steps > 1 ? 10 : 0.01) * error_;  // a second step does nothing
    if (!std::isfinite(at_.coefficients.dot(at_.products))) co_return false;
    const bool verified = is(CavMethod::kLogistic) || steps > 1;
    if (!is(CavMethod::kSvm) && length == 1 && verified && left_ <= kTolerance) co_return co_await finish();
    if (is(CavMethod::kLogistic)) choose_way(length);
    // Near the end each step must leave a small part of the error before, or float is not enough here.
    if (error_ > 10 * expected) rough_ = false;
    const bool near =
        is(CavMethod::kSvm) ? sides_.changed() == 0 : left_ < 0.1 * error_ || is(CavMethod::kRidge);
    expected = near ? left_ : 1;
    refreshed = is(CavMethod::kRidge) || left_ <= kFarAway;
    if (refreshed) at_.products = co_await products_.of(at_.coefficients, false);
  }
  co_return false;
}

Vector WeightedFit::means_apart() const {
  const auto share = [&](double label) -> Vector {
    const Vector own = (rows_.labels.array() == label).cast<double>() * rows_.weights.array();
    return own / own.sum();
  };
  return share(1) - share(-1);
}

// The best t and b for w = t·(difference of means): logistic regression with one column.
ProductTask<bool> WeightedFit::start_at_means() {
  const Vector apart = means_apart();
  const Vector product = co_await products_.of(apart, false);
  const double length = std::sqrt(std::max(apart.dot(product), 0.0));
  if (length == 0 || (rows_.weights.array() != 1).any()) co_return false;
  const stats::Cav best = stats::fit_logistic(product / length, rows_.labels, options_.cost);
  at_ = {apart * (best.direction(0) / length), product * (best.direction(0) / length), best.intercept};
  co_return true;
}

void WeightedFit::bend() {
  const Vector& w = rows_.weights;
  margins_ = at_.products.array() + at_.intercept;
  switch (options_.method) {
    case CavMethod::kRidge:
      curved_ = w / (options_.lambda * w.sum());
      pulls_ = curved_.cwiseProduct(rows_.labels - margins_);
      break;
    case CavMethod::kLogistic:
      pulls_ = logistic_pulls(rows_, options_.cost, margins_);
      curved_ = options_.cost * w.cwiseProduct(margins_.unaryExpr(&stats::sigmoid_derivative));
      break;
    default:
      sides_.choose(rows_, options_.cost, top_->diagonal, at_);
      pulls_ = sides_.pulls();
      curved_ = sides_.curved();
  }
}

// Where rows nearly cancel each other float may have lost the step: one product in double says.
ProductTask<WeightedFit::Solved> WeightedFit::step() {
  const Solved solved = downhill_ ? co_await solve_downhill() : co_await solve_preconditioned();
  if (solved != Solved::kStep || !is_lost(change_, change_.dot(change_product_))) co_return solved;
  const Vector& exact = co_await products_.of(change_, false);
  const double moved = change_.dot(exact);
  if (!(std::abs(moved - change_.dot(change_product_)) <= kSameStep * moved)) co_return Solved::kLostInFloat;
  change_product_ = exact;
  co_return Solved::kStep;
}

bool WeightedFit::is_lost(const Vector& vector, double squared) const {
  return rough_ && !(squared > kRoughRounding * std::pow(vector.cwiseAbs().dot(lengths_), 2));
}

// About what a direct solver costs; for logistic regression there is none that does without such products.
bool WeightedFit::has_budget(int first) const {
  const int used = products_.used();
  if (is(CavMethod::kSvm) && rough_ && used - first > kMostRough) return false;
  return used - budget_from_ <= (is(CavMethod::kLogistic) ? 5000 : 300 + rows_.weights.size() / 4);
}

ProductTask<WeightedFit::Solved> WeightedFit::solve_downhill() {
  const int first = products_.used();
  const double curved_sum = curved_.sum();
  Vector residual = pulls_ - at_.coefficients - curved_ * (pulls_.sum() / curved_sum);
  Vector direction = Vector::Zero(residual.size());
  Vector direction_product = direction;
  change_ = direction;
  change_product_ = direction;
  double target = 0;
  double last = 0;
  for (;;) {
    const Vector& product = co_await products_.of(residual, rough_);
    const double squared = residual.dot(product);
    if (last == 0) {
      if (is_lost(residual, squared)) co_return Solved::kLostInFloat;
      const double size = std::max(at_.coefficients.dot(at_.products), 0.0);
      accuracy_ = std::max(std::min(kLoosest, 0.5 * squared / last_gradient_), rough_ ? kLeastRough : kFloor);
      if (squared > 0)
        accuracy_ = std::max(accuracy_, std::min(kLoosest, 0.1 * kTolerance * std::sqrt(size / squared)));
      last_gradient_ = squared;
      target = accuracy_ * accuracy_ * squared;
      // A square below 0 by more than rounding is none: K is no X Xᵀ.
      const double summed = residual.cwiseAbs().dot(lengths_);
      if (!std::isfinite(target) || squared < -kRoughRounding * summed * summed) co_return Solved::kFailed;
    }
    if (!(squared > target) || !has_budget(first)) break;
    const double kept = last == 0 ? 0 : squared / last;
    last = squared;
    direction = residual + kept * direction;
    direction_product = product + kept * direction_product;
    const double mean = curved_.dot(direction_product) / curved_sum;
    const Vector image = direction + curved_.cwiseProduct((direction_product.array() - mean).matrix());
    const double length = squared / direction_product.dot(image);
    if (!(length > 0 && std::isfinite(length))) break;
    change_ += length * direction;
    change_product_ += length * direction_product;
    residual -= length * image;
  }
  left_squared_ = target;
  co_return Solved::kStep;
}

ProductTask<WeightedFit::Solved> WeightedFit::solve_preconditioned() {
  const int first = products_.used();
  const Vector roots = curved_.cwiseSqrt();
  const TopPreconditioner near(*top_, curved_);
  const Vector gap = pulls_ - at_.coefficients;
  Vector along = Vector::Zero(gap.size());  // M⁻¹ D½, what the intercept does
  double curved = 1;
  // Starts at the solution if K were what is known of it.
  Vector solution = -near(near.guess(gap));
  if (options_.has_intercept()) {
    along = near(roots);
    curved = roots.dot(along);
    solution -= along * ((pulls_.sum() + roots.dot(solution)) / curved);
  }
  change_ = gap + roots.cwiseProduct(solution);
  change_product_ = co_await products_.of(change_, rough_);
  Vector residual = -roots.cwiseProduct(change_product_) - solution;
  // z = M⁻¹ r within the constraint, taken out of r too, or rounding in what is taken out would grow.
  const auto precondition = [&] {
    Vector result = near(residual);
    if (options_.has_intercept()) {
      const double out = roots.dot(result) / curved;
      residual -= out * roots;
      result -= out * along;
    }
    return result;
  };
  Vector direction = precondition();
  double squared = residual.dot(direction);
  const double error = relative(change_.dot(change_product_), at_.coefficients.dot(at_.products));
  if (is(CavMethod::kSvm) && sides_.changed() == 0 && left_ <= kFarAway && error <= kTolerance)
    co_return Solved::kNothingToDo;
  choose_accuracy(error);
  if (first_squared_ == 0) first_squared_ = squared;
  const double target = std::max(accuracy_ * accuracy_ * squared, kFloor * kFloor * first_squared_);
  while (squared > target) {
    const Vector request = roots.cwiseProduct(direction);
    const Vector& product = co_await products_.of(request, rough_);
    const Vector image = direction + roots.cwiseProduct(product);
    const double length = squared / direction.dot(image);
    if (!(length > 0 && std::isfinite(length)) || !has_budget(first)) co_return Solved::kLostInFloat;
    change_ += length * request;
    change_product_ += length * product;
    residual -= length * image;
    const Vector next = precondition();
    const double kept = residual.dot(next) / squared;
    squared *= kept;
    direction = next + kept * direction;
  }
  left_squared_ = 0;
  co_return Solved::kStep;
}

// Loose while the problem still changes, and no tighter than the end needs.
void WeightedFit::choose_accuracy(double error) {
  accuracy_ = 0.1 * kTolerance / std::max(error, kTolerance);
  // As the steps themselves converge (Eisenstat and Walker's second choice).
  if (is(CavMethod::kLogistic))
    accuracy_ = std::max(accuracy_, std::min(0.9 * std::pow(error / last_error_, 1.6), 0.1));
  last_error_ = error;
  if (rough_) accuracy_ = std::max(accuracy_, kLeastRough);
  // Rows that still change sides move the solution further than what a loose step leaves.
  if (is(CavMethod::kSvm) && sides_.changed() > 0) {
    const bool smooth = sides_.changed() == rows_.weights.size();
    accuracy_ = std::max(accuracy_, std::min(0.3 * std::pow(error, 0.7), smooth ? 0.1 : 0.2));
  }
}

// Returns how far along the step.
double WeightedFit::take_step() {
  const double moved = change_.dot(change_product_);
  double intercept = 0;
  if (options_.has_intercept()) intercept = (pulls_.sum() - curved_.dot(change_product_)) / curved_.sum();
  const Vector moves = change_product_.array() + intercept;
  double length = 1;
  if (is(CavMethod::kLogistic)) {
    length =
        logistic_step(rows_, options_.cost, margins_, moves, at_.coefficients.dot(change_product_), moved);
  }
  at_.coefficients += length * change_;
  at_.products += length * change_product_;
  at_.intercept += length * intercept;
  const double size = at_.coefficients.dot(at_.products);
  error_ = relative(moved, size);
  left_ = std::max(error_ * accuracy_, std::sqrt(left_squared_ / std::max({size, moved, 1e-300})));
  // Newton's method squares its error: what is left is at most the step's length, by the curvature there,
  // times the largest change of a margin.
  if (is(CavMethod::kLogistic)) {
    const double curved_length = std::sqrt(std::max(moved, 0.0) + curved_.dot(moves.cwiseAbs2()));
    left_ = std::max(
        left_, curved_length / std::sqrt(std::max({size, moved, 1e-300})) * moves.cwiseAbs().maxCoeff());
  }
  return length;
}

// What is left of the preconditioned equations says little about w where K has a null space, and an
// unfinished step may be of little use: then downhill until w is roughly right, and if that happens again, to
// the end.
void WeightedFit::choose_way(double length) {
  if (downhill_) {
    if (wasted_ > 1 || error_ > kNearEnough) return;
    downhill_ = false;
    last_error_ = error_;
    last_step_ = 1;
    return;
  }
  if (length < kUseful || error_ > last_step_) {
    ++wasted_;
    downhill_ = true;
    last_gradient_ = 0;
  }
  last_step_ = error_;
}

// Ridge and logistic regression are 0 where the means of both sets are the same, which takes one more product
// where w is small enough to be rounding; svm where the gap to its dual leaves no room for another w.
ProductTask<bool> WeightedFit::finish() {
  const double squared = at_.coefficients.dot(at_.products);
  // The pulls are γ at the optimum; where rows repeat each other γ itself may be far smaller.
  const Vector parts = pulls_.cwiseProduct(lengths_);
  bool nothing = false;
  if (is(CavMethod::kSvm)) {
    const Vector alphas = rows_.labels.cwiseProduct(at_.coefficients);
    const Vector short_of = 1 - rows_.labels.array() * (at_.products.array() + at_.intercept);
    const double doubt = 4 * stats::svm_gap(short_of, alphas, options_.cost * rows_.weights);
    nothing = squared <= doubt + kNothing * static_cast<double>(parts.size()) * parts.squaredNorm();
  } else if (squared <= kNothing * std::pow(parts.cwiseAbs().sum(), 2)) {
    const Vector apart =
        options_.has_intercept() ? means_apart() : Vector(rows_.weights.cwiseProduct(rows_.labels));
    const Vector& product = co_await products_.of(apart, false);
    nothing = apart.dot(product) <= kNothing * std::pow(apart.cwiseAbs().dot(lengths_), 2);
  }
  if (nothing) {
    at_.coefficients.setZero();
    at_.products.setZero();
  }
  co_return true;
}

}  // namespace atcav::fit
