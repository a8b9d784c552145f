#include "stats/newton_fit.h"

#include <algorithm>
#include <cmath>

#include "stats/direct_system.h"

namespace atcav::stats {
namespace {

constexpr double kTolerance = 3e-9;  // error of w over |w|
constexpr double kInFloat = 1e-5;    // what a step in float leaves of its error
constexpr double kFloor = 1e-13;
constexpr double kLoosest = 0.1;
constexpr double kClose = 1e-3;     // a step shorter than that confirms the one before
constexpr double kSameStep = 0.1;   // how far float's idea of a step's length may be off
constexpr double kNothing = 1e-15;  // of |w|² over the square of what its rows add up to: rounding alone
constexpr double kFloatNoise = 1e-6;
constexpr double kMostCost = 1e8;  // C times the mean squared length of a row, with which logistic starts
constexpr double kNextCost = 100;
constexpr double kFirstCost = 1;       // the same where that leads nowhere
constexpr double kLostStep = 0.01;     // length of a step that does
constexpr double kRoundedMove = 1e-6;  // of margins, where slopes are rounding

double relative(double squared, double size) {
  return std::sqrt(std::max(squared, 0.0) / std::max({size, squared, 1e-300}));
}

}  // namespace

NewtonFit::NewtonFit(const FitSetting& setting, WeightedRows rows, const FitPoint* start)
    : setting_(&setting),
      size_(setting.kernel->diagonal().mean()),
      cost_(setting.options.cost),
      sides_(start == nullptr) {
  // Rows that no direction parts make w the same for every larger C, and γ as large as C: too large for
  // digits to be left of Xᵀγ.
  if (is(CavMethod::kLogistic)) cost_ = std::min(cost_, kMostCost / size_);
  fit.rows = std::move(rows);
  fit.at = start != nullptr ? *start : nothing();
}

Bend NewtonFit::bend() {
  const CavOptions& options = setting_->options;
  if (is(CavMethod::kRidge)) return bend_ridge(fit.rows, options.lambda, margins_);
  if (is(CavMethod::kLogistic)) return bend_logistic(fit.rows, cost_, margins_);
  return sides_.choose(fit.rows, cost_, setting_->kernel->diagonal(), fit.at);
}

// Starts at the solution if K were what is known of it.
const Vector& NewtonFit::begin() {
  margins_ = fit.at.products.array() + fit.at.intercept;
  bend_ = bend();
  roots_ = bend_.curved.cwiseSqrt();
  near_.emplace(*setting_->top, bend_.curved);
  const Vector gap = bend_.pulls - fit.at.coefficients;
  request_ = -(*near_)(near_->guess(gap));
  if (setting_->options.has_intercept()) {
    along_ = (*near_)(roots_);
    along_curved_ = roots_.dot(along_);
    request_ -= along_ * ((bend_.pulls.sum() + roots_.dot(request_)) / along_curved_);
  }
  change_ = gap + roots_.cwiseProduct(request_);
  asked_ = 0;
  lost_ = false;
  return change_;
}

// z = M⁻¹ r within the constraint, taken out of r too, or rounding in what is taken out would grow.
Vector NewtonFit::precondition(Vector& residual) const {
  Vector result = (*near_)(residual);
  if (!setting_->options.has_intercept()) return result;
  const double out = roots_.dot(result) / along_curved_;
  residual -= out * roots_;
  return result - out * along_;
}

void NewtonFit::search(Vector product) {
  change_product_ = std::move(product);
  search_ = ConjugateGradients(-roots_.cwiseProduct(change_product_) - request_,
                               [this](Vector& residual) { return precondition(residual); });
  first_squared_ = search_.squared();
}

// Loose while the problem still changes, and no tighter than the end needs.
double NewtonFit::accuracy(double error) const {
  const bool changes = is(CavMethod::kLogistic) || (is(CavMethod::kSvm) && sides_.changed() > 0);
  const double needed = 0.1 * kTolerance / std::max(error, kTolerance);
  return std::max({changes ? std::min(kLoosest, error) : 0, needed, in_float ? kInFloat : kFloor});
}

// The search's squared error is one of w where K is as large as it is thought to be, and bounds it elsewhere.
bool NewtonFit::is_solved() {
  if (lost_) return true;
  const double moved = std::max(change_.dot(change_product_), 0.0);
  const double error = relative(moved, fit.at.coefficients.dot(fit.at.products));
  const double target = std::pow(accuracy(error), 2) * moved;
  return search_.squared() <= std::max(target, std::pow(kFloor, 2) * first_squared_);
}

const Vector& NewtonFit::request() { return request_ = roots_.cwiseProduct(search_.direction()); }

void NewtonFit::advance(const Vector& product) {
  const Vector image = search_.direction() + roots_.cwiseProduct(product);
  const double length = search_.length(image);
  const auto most = static_cast<int>(in_float ? 300 : 300 + fit.rows.weights.size() / 4);
  lost_ = length == 0 || ++asked_ > most;
  if (lost_) return;
  change_ += length * request_;
  change_product_ += length * product;
  search_.advance(image, [this](Vector& residual) { return precondition(residual); });
}

void NewtonFit::solve_directly() {
  std::vector<Index> chosen;
  for (Index i = 0; i < bend_.curved.size(); ++i)
    if (bend_.curved(i) > 1e-200) chosen.push_back(i);
  const Kernel& kernel = *setting_->kernel;
  DirectSystem system(kernel, chosen);
  system.set_diagonal(bend_.curved(chosen).cwiseInverse());
  change_ = bend_.pulls - fit.at.coefficients;
  const Vector product = kernel.times({&change_}, false, 1).front();
  Vector solution = -system.solve(product(chosen));
  if (setting_->options.has_intercept()) {
    const Vector along = system.solve(Vector::Ones(std::ssize(chosen)));
    solution -= along * ((bend_.pulls.sum() + solution.sum()) / along.sum());
  }
  change_(chosen) += solution;
  change_product_ = kernel.times({&change_}, false, 1).front();
}

NewtonFit::Step NewtonFit::measured() const {
  Step step{1, change_.dot(change_product_), 0, {}};
  if (setting_->options.has_intercept())
    step.intercept = (bend_.pulls.sum() - bend_.curved.dot(change_product_)) / bend_.curved.sum();
  step.moves = change_product_.array() + step.intercept;
  if (is(CavMethod::kLogistic) && !(step.moves.cwiseAbs().maxCoeff() < kRoundedMove)) {
    step.length = logistic_step(fit.rows, cost_, margins_, step.moves,
                                fit.at.coefficients.dot(change_product_), step.moved);
  }
  return step;
}

void NewtonFit::take_step() {
  length_ = 0;
  if (lost_ && in_float) {
    in_float = false;
    return;
  }
  if (lost_ && is(CavMethod::kSvm)) {
    done = true;
    return;
  }
  if (lost_) solve_directly();
  Step step = measured();
  if (step.length < kLostStep && !lost_) {
    lost_ = true;
    solve_directly();
    step = measured();
  }
  if (step.length < kLostStep && !anew_) {
    start_anew();
    return;
  }
  length_ = step.length;
  before_ = fit.at;
  fit.at.coefficients += length_ * change_;
  fit.at.products += length_ * change_product_;
  fit.at.intercept += length_ * step.intercept;
  judge_step(step.moves, step.moved);
}

// Rows that are almost parted have next to no curvature far from the solution, and steps lead nowhere. From
// nothing, with a cost that rises, they do.
void NewtonFit::start_anew() {
  anew_ = true;
  cost_ = std::min(cost_, kFirstCost / size_);
  before_ = fit.at = nothing();
  length_ = 0;
  expected_ = 1;
  in_float = false;
}

void NewtonFit::judge_step(const Vector& moves, double moved) {
  const double size = fit.at.coefficients.dot(fit.at.products);
  // A square below 0 by more than rounding is none: float has lost it, or K is no X Xᵀ.
  const double noise = (in_float ? kFloatNoise : kNothing) * std::pow(change_.cwiseAbs().dot(lengths()), 2);
  if (!std::isfinite(size) || (!in_float && moved < -noise)) {
    fit.at = before_;
    done = true;
    return;
  }
  const double error = relative(moved, size);
  left_ = error * (lost_ ? kTolerance : accuracy(error));
  // Newton's method squares its error: what is left is at most the step's length, by the curvature there,
  // times the largest change of a margin.
  if (is(CavMethod::kLogistic)) {
    const double curved_length = moved + bend_.curved.dot(moves.cwiseAbs2());
    left_ = std::max(left_, relative(curved_length, size) * moves.cwiseAbs().maxCoeff());
  }
  const bool same_problem = !is(CavMethod::kSvm) || sides_.changed() == 0;
  const bool near = same_problem && (!is(CavMethod::kLogistic) || left_ < 0.1 * error);
  // Near the end each step must leave a small part of the error before, or float is not enough here.
  const bool stuck = error > 10 * expected_;
  expected_ = near ? left_ : 1;
  const bool ends = length_ == 1 && same_problem && error <= kClose && left_ <= kTolerance;
  const bool doubtful = in_float && (stuck || (ends && moved <= noise));
  if (doubtful) {
    in_float = false;
  } else if (ends) {
    end();
  }
}

double NewtonFit::next_cost(bool separable) const {
  const double whole = setting_->options.cost;
  return std::min((anew_ ? std::sqrt(kNextCost) : kNextCost) * cost_,
                  separable ? whole : std::min(whole, kMostCost / size_));
}

void NewtonFit::end() {
  const Vector beyond = (fit.rows.weights.array() > 0).select(fit.rows.labels.cwiseProduct(margins_), 1);
  const double next = next_cost(beyond.minCoeff() > 0);
  if (is(CavMethod::kLogistic) && cost_ < next) {
    cost_ = next;
    expected_ = 1;
  } else if (is(CavMethod::kSvm) && in_float) {
    in_float = false;  // rows that repeat each other need a last step in double
  } else {
    fit.converged =
        !is(CavMethod::kSvm) || is_svm_optimum(fit.rows, cost_, setting_->kernel->diagonal(), fit.at);
    done = true;
  }
}

// Where rows nearly cancel each other float may have lost the step.
void NewtonFit::refresh(Vector product) {
  const double exact = length_ == 0 ? 0 : change_.dot(product - before_.products) / length_;
  if (in_float && !(std::abs(exact - change_.dot(change_product_)) <= kSameStep * std::abs(exact))) {
    in_float = false;
    expected_ = 1;
    fit.at = std::move(before_);
  } else {
    fit.at.products = std::move(product);
  }
}

const Vector& NewtonFit::apart() {
  change_ = fit.rows.weights.cwiseProduct(fit.rows.labels);
  if (!setting_->options.has_intercept()) return change_;
  const double positive = change_.cwiseMax(0).sum();
  const double negative = -change_.cwiseMin(0).sum();
  change_ = change_.cwiseMax(0) / positive + change_.cwiseMin(0) / negative;
  return change_;
}

void NewtonFit::settle(const Vector& product) {
  const double noise = kNothing * std::pow(change_.cwiseAbs().dot(lengths()), 2);
  const double squared = change_.dot(product);
  if (squared > noise) return;
  const Vector signed_weights = fit.rows.weights.cwiseProduct(fit.rows.labels);
  set_to_nothing(std::log(signed_weights.cwiseMax(0).sum() / -signed_weights.cwiseMin(0).sum()));
  fit.converged = squared >= -noise;  // no rows have a product below 0
}

void NewtonFit::set_to_nothing(double intercept) {
  fit.at = nothing(intercept);
  fit.converged = true;
  done = true;
}

}  // namespace atcav::stats
