#include "stats/explained.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

// Of the diagonal, which is about the number of rows: equal directions have a solution then.
constexpr double kTiny = 1e-9;
constexpr double kRounding = 1e-6;  // of all variance

Matrix in_standard_deviations(const Matrix& features) {
  Matrix scaled = features.rowwise() - features.colwise().mean();
  for (auto column : scaled.colwise()) {
    const double sd = std::sqrt(column.squaredNorm() / static_cast<double>(column.size()));
    column /= sd > 0 ? sd : 1;
  }
  return scaled;
}

Matrix with_diagonal(Matrix gram, double rows) {
  gram.diagonal().array() += kTiny * std::max(rows, 1.0);
  return gram;
}

// log-spaced, in units of the mean eigenvalue.
std::vector<double> penalties() {
  std::vector<double> list;
  for (int i = -16; i <= 16; ++i) list.push_back(std::pow(10.0, i / 4.0));
  return list;
}

std::vector<Index> subset(unsigned mask) {
  std::vector<Index> chosen;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) chosen.push_back(std::countr_zero(rest));
  return chosen;
}

double binomial(Index n, Index k) {
  double value = 1;
  for (Index i = 1; i <= k; ++i) value *= static_cast<double>(n - k + i) / static_cast<double>(i);
  return value;
}

}  // namespace

// Rows that fits have not seen, around the means of those that they have.
struct SpanDesign::Fold {
  std::vector<Index> train, test;
  Matrix features;       // of the training rows
  Matrix test_features;  // likewise, around the training rows' mean
  Matrix gram, test_gram;
  Matrix shared;        // Σ over groups of the training rows of s sᵀ, s the sum of a group's features
  double alone = 0;     // 1/n of the training rows, and
  double together = 0;  // what it is where a group is one: Σ n_g²/n²
};

struct SpanDesign::Fit {
  Matrix vectors;  // of M K M: training rows × those that the directions leave
  Vector values;
  Matrix test_products;  // r_i·vectors: what the directions leave of the test rows' products
  double leverage = 0;   // of the directions and the intercept, mean over test rows
  Matrix hat;            // of the directions, test rows × training rows
};

SpanDesign::~SpanDesign() = default;

bool SpanDesign::fits(Index rows, Index directions) {
  return directions > 0 && rows >= 30 && rows * 9 / 10 >= 2 * (directions + 1);
}

SpanDesign::SpanDesign(const Matrix& features, const Matrix& products, const Groups& groups,
                       const SpanOptions& options)
    : options_(options), groups_(groups), features_(in_standard_deviations(features)), products_(products) {
  const Index n = features.rows();
  const Index q = features.cols();
  check_same("SpanDesign", "rows", "products", products.rows(), "features", n);
  if (!fits(n, q)) fail_argument("SpanDesign", "there are too few rows for so many directions");
  if (groups_.empty()) {
    groups_.of_row.resize(static_cast<std::size_t>(n));
    std::iota(groups_.of_row.begin(), groups_.of_row.end(), 0);
    groups_.count = n;
  }
  fold_count_ = std::min(options.folds, groups_.count);
  const std::vector<Index> order = Stream(options.seed, {kTaskFolds, options.key}).permutation(groups_.count);
  for (const Index group : groups_.of_row)
    fold_of_.push_back(order[static_cast<std::size_t>(group)] % fold_count_);
  own_ = folds_of(features_);
  // Projections on directions drawn evenly over the sphere are normal with covariance K.
  const Matrix centring = Matrix::Identity(n, n).array() - 1.0 / static_cast<double>(n);
  const Eigen::SelfAdjointEigenSolver<Matrix> whole(centring * products * centring);
  const Matrix root = whole.eigenvectors() * whole.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  random_.resize(static_cast<std::size_t>(options.random));
  parallel_for(options.random, options.threads, [&](Index draw) {
    Stream stream(options.seed, {kTaskFolds, options.key, static_cast<std::uint64_t>(draw) + 1});
    random_[static_cast<std::size_t>(draw)] =
        folds_of(in_standard_deviations(root * stream.normal_matrix(n, q)));
  });
  rest_.resize(own_.size());
  parallel_for(fold_count_, options.threads, [&](Index f) {
    const Fold& fold = own_[static_cast<std::size_t>(f)];
    const auto count = std::ssize(fold.train);
    const Matrix inverse =
        with_diagonal(fold.gram, static_cast<double>(count)).llt().solve(fold.features.transpose());
    // M: what the intercept and the directions leave.
    const Matrix left =
        (Matrix::Identity(count, count) - fold.features * inverse).array() - 1.0 / static_cast<double>(count);
    const Matrix kernel = products(fold.train, fold.train);
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(left * kernel * left.transpose());
    Fit& fit = rest_[static_cast<std::size_t>(f)];
    // What rounding leaves where the directions are all there is, products being of floats.
    const double variance = kernel.trace() - kernel.sum() / static_cast<double>(count);
    const Index kept = (solver.eigenvalues().array() > kRounding * variance).count();
    fit.values = solver.eigenvalues().tail(kept);
    fit.vectors = solver.eigenvectors().rightCols(kept);
    fit.hat = fold.test_features * inverse;
    const Matrix weights = fit.hat.array() + 1.0 / static_cast<double>(count);
    fit.test_products = (products(fold.test, fold.train) - weights * kernel) * fit.vectors;
    fit.leverage = weights.rowwise().squaredNorm().mean();
  });
}

std::vector<SpanDesign::Fold> SpanDesign::folds_of(const Matrix& features) const {
  std::vector<Fold> folds(static_cast<std::size_t>(fold_count_));
  for (std::size_t i = 0; i < fold_of_.size(); ++i) {
    for (Index f = 0; f < fold_count_; ++f) {
      Fold& fold = folds[static_cast<std::size_t>(f)];
      (fold_of_[i] == f ? fold.test : fold.train).push_back(static_cast<Index>(i));
    }
  }
  for (Fold& fold : folds) {
    fold.features = features(fold.train, Eigen::all);
    const Eigen::RowVectorXd mean = fold.features.colwise().mean();
    fold.features.rowwise() -= mean;
    fold.test_features = features(fold.test, Eigen::all);
    fold.test_features.rowwise() -= mean;
    fold.gram = fold.features.transpose() * fold.features;
    fold.test_gram = fold.test_features.transpose() * fold.test_features;
    Matrix sums = Matrix::Zero(groups_.count, features.cols());
    Vector sizes = Vector::Zero(groups_.count);
    for (std::size_t i = 0; i < fold.train.size(); ++i) {
      const Index group = groups_.of_row[static_cast<std::size_t>(fold.train[i])];
      sums.row(group) += fold.features.row(static_cast<Index>(i));
      sizes(group) += 1;
    }
    fold.shared = sums.transpose() * sums;
    const auto count = static_cast<double>(fold.train.size());
    fold.alone = 1 / count;
    fold.together = sizes.squaredNorm() / (count * count);
  }
  return folds;
}

// How much errors of one group are alike: the mean product of two over the mean square.
double SpanDesign::likeness(const Vector& errors) const {
  Vector sums = Vector::Zero(groups_.count);
  Vector sizes = sums;
  for (Index i = 0; i < errors.size(); ++i) {
    sums(groups_.of_row[static_cast<std::size_t>(i)]) += errors(i);
    sizes(groups_.of_row[static_cast<std::size_t>(i)]) += 1;
  }
  const double pairs = sizes.squaredNorm() - sizes.sum();
  const double squares = errors.squaredNorm();
  if (pairs <= 0 || squares <= 0) return 0;
  const double mean = squares / static_cast<double>(errors.size());
  return std::clamp((sums.squaredNorm() - squares) / pairs / mean, 0.0, 1.0);
}

// u_i: squared errors of each row by the fit without its fold, less what fitting adds to them.
Vector SpanDesign::held_out(const std::vector<Fold>& folds, const VectorRef& response,
                            const std::vector<Index>& chosen) const {
  Vector errors(response.size());
  std::vector<std::pair<double, double>> leverages;  // of rows that err alone, and of groups that err as one
  for (const Fold& fold : folds) {
    const Vector train = response(fold.train);
    const auto count = static_cast<double>(fold.train.size());
    Vector own = response(fold.test).array() - train.mean();
    auto& [alone, together] = leverages.emplace_back(fold.alone, fold.together);
    if (!chosen.empty()) {
      const Matrix gram = fold.gram(chosen, chosen);
      const Eigen::LLT<Matrix> solver(with_diagonal(gram, count));
      const Vector products = fold.features(Eigen::all, chosen).transpose() * train;
      own -= fold.test_features(Eigen::all, chosen) * solver.solve(products);
      const Matrix spread = solver.solve(Matrix(fold.test_gram(chosen, chosen)));
      const auto tested = static_cast<double>(fold.test.size());
      alone += spread.trace() / tested;
      if (groups_.count < response.size())
        together += (solver.solve(Matrix(fold.shared(chosen, chosen))) * spread).trace() / tested;
    }
    errors(fold.test) = own;
  }
  const double alike = groups_.count < response.size() ? likeness(errors) : 0;
  Vector squares = errors.array().square();
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const auto& [alone, together] = leverages[f];
    for (const Index row : folds[f].test) squares(row) /= 1 + (1 - alike) * alone + alike * together;
  }
  return squares;
}

double SpanDesign::error_of(const Vector& influences) const {
  Vector sums = Vector::Zero(groups_.count);
  for (Index i = 0; i < influences.size(); ++i)
    sums(groups_.of_row[static_cast<std::size_t>(i)]) += influences(i);
  const auto count = static_cast<double>(groups_.count);
  return std::sqrt(sums.squaredNorm() * count / (count - 1)) / static_cast<double>(influences.size());
}

std::optional<SpanShare> SpanDesign::explain(const VectorRef& response) const {
  const auto n = static_cast<double>(response.size());
  const Index q = features_.cols();
  const Vector nothing = held_out(own_, response, {});
  const double total = nothing.sum();
  if (!(total > 0)) return std::nullopt;
  std::vector<Index> all(static_cast<std::size_t>(q));
  std::iota(all.begin(), all.end(), 0);
  const auto share_of = [&](const Vector& squares) { return 1 - squares.sum() / total; };
  SpanShare found;
  const Vector squares = held_out(own_, response, all);
  found.share = share_of(squares);
  const double left = 1 - found.share;
  const double first = error_of((left * nothing - squares) * (n / total));
  const double second = std::sqrt(2 * static_cast<double>(q)) * left / n;
  found.error = std::hypot(first, second);
  const boost::math::students_t law(static_cast<double>(groups_.count - 1));
  const double quantile = boost::math::quantile(law, (1 + options_.level) / 2);
  if (left > 0) {
    const double reach = quantile * found.error / left;
    found.interval = {1 - left * std::exp(reach), 1 - left * std::exp(-reach)};
  } else {
    found.interval = {1, 1};
  }
  Vector random(options_.random);
  parallel_for(random.size(), options_.threads, [&](Index draw) {
    random(draw) = share_of(held_out(random_[static_cast<std::size_t>(draw)], response, all));
  });
  if (random.size() > 1) {
    found.random_mean = random.mean();
    found.random_sd = std::sqrt((random.array() - found.random_mean).square().sum() /
                                static_cast<double>(random.size() - 1));
  }
  found.ceiling = ceiling(response, nothing);
  if (q <= kMostShapley) add_shapley(found, response, nothing);
  for (std::size_t k = 0; k < found.shapley.size(); ++k) {
    const double reach = quantile * found.shapley_intervals[k].high;
    found.shapley_intervals[k] = {found.shapley[k] - reach, found.shapley[k] + reach};
  }
  return found;
}

// Leaves standard errors where intervals will be. Subsets in blocks, whose sums are added in order.
void SpanDesign::add_shapley(SpanShare& found, const VectorRef& response, const Vector& nothing) const {
  constexpr Index kBlock = 256;
  const Index q = features_.cols();
  const Index n = response.size();
  const Index subsets = Index{1} << q;
  const Index blocks = (subsets + kBlock - 1) / kBlock;
  const double total = nothing.sum();
  // Rows: v of all subsets, weighted; below each other their influences.
  std::vector<Matrix> sums(static_cast<std::size_t>(blocks), Matrix::Zero(n + 1, q));
  parallel_for(blocks, options_.threads, [&](Index block) {
    Matrix& sum = sums[static_cast<std::size_t>(block)];
    Vector values(n + 1);
    for (Index mask = std::max<Index>(block * kBlock, 1); mask < std::min((block + 1) * kBlock, subsets);
         ++mask) {
      throw_if_stopped();
      const std::vector<Index> chosen = subset(static_cast<unsigned>(mask));
      const Vector squares = held_out(own_, response, chosen);
      const double share = 1 - squares.sum() / total;
      values(0) = share;
      values.tail(n) = ((1 - share) * nothing - squares) * (static_cast<double>(n) / total);
      const auto size = std::ssize(chosen);
      const double with = 1 / (static_cast<double>(q) * binomial(q - 1, size - 1));
      const double without = size < q ? 1 / (static_cast<double>(q) * binomial(q - 1, size)) : 0;
      for (Index k = 0; k < q; ++k) sum.col(k) += ((mask >> k & 1) != 0 ? with : -without) * values;
    }
  });
  Matrix all = Matrix::Zero(n + 1, q);
  for (const Matrix& sum : sums) all += sum;
  const double second = std::sqrt(2.0) * (1 - found.share) / static_cast<double>(n);
  for (Index k = 0; k < q; ++k) {
    found.shapley.push_back(all(0, k));
    const double error = std::hypot(error_of(all.col(k).tail(n)), second);
    found.shapley_intervals.push_back({-error, error});
  }
}

double SpanDesign::ceiling(const VectorRef& response, const Vector& nothing) const {
  Vector left(fold_count_);
  parallel_for(fold_count_, options_.threads, [&](Index f) {
    const Fold& fold = own_[static_cast<std::size_t>(f)];
    const Fit& fit = rest_[static_cast<std::size_t>(f)];
    const Vector train = response(fold.train);
    const double mean = train.mean();
    const Vector centred = train.array() - mean;
    const Vector linear = fold.features.transpose() * centred;
    const Vector own = with_diagonal(fold.gram, static_cast<double>(train.size())).llt().solve(linear);
    const double residual = (centred - fold.features * own).squaredNorm();
    const Vector along = fit.vectors.transpose() * train;
    const Eigen::ArrayXd squares = along.array().square();
    const double beyond = std::max(0.0, residual - squares.sum());
    const auto freedom = static_cast<double>(train.size() - fold.features.cols() - 1);
    double best = residual / (freedom * freedom);
    Vector inverse = Vector::Zero(fit.values.size());  // an infinite penalty
    const double unit = fit.values.size() > 0 ? fit.values.mean() : 1;
    for (const double penalty : penalties()) {
      const Eigen::ArrayXd kept = penalty * unit / (fit.values.array() + penalty * unit);
      const double rest = freedom - static_cast<double>(kept.size()) + kept.sum();
      const double score = ((kept.square() * squares).sum() + beyond) / (rest * rest);
      if (rest < 1 || score >= best) continue;
      best = score;
      inverse = (fit.values.array() + penalty * unit).inverse();
    }
    const Vector errors = (response(fold.test).array() - mean).matrix() - fold.test_features * own -
                          fit.test_products * inverse.cwiseProduct(along);
    const double leverage =
        fit.leverage + (fit.test_products * inverse.asDiagonal()).rowwise().squaredNorm().mean();
    left(f) = errors.squaredNorm() / (1 + leverage);
  });
  return 1 - left.sum() / nothing.sum();
}

}  // namespace atcav::stats
