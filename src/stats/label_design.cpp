#include "stats/label_design.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/block_product.h"
#include "core/check.h"
#include "core/cholesky.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

// 1 - R² of a label on those before it, below which it is one of their combinations.
constexpr double kCollinear = 1e-9;
constexpr double kLeastRoom = 1e-9;  // 1 - leverage

// Rows centred and of length 1; their lengths.
Vector standardise(Matrix& labels, const std::vector<std::string>& names) {
  Vector lengths(labels.rows());
  for (Index k = 0; k < labels.rows(); ++k) {
    auto row = labels.row(k);
    const double size = row.cwiseAbs().maxCoeff();
    row.array() -= row.mean();
    lengths(k) = row.norm();
    if (lengths(k) <= 1e-12 * size * std::sqrt(static_cast<double>(labels.cols())))
      fail_argument("labels", fmt::format("'{}' is constant: there is nothing to compare", names[k]));
    row /= lengths(k);
  }
  return lengths;
}

[[noreturn]] void fail_collinear(const Matrix& lower, Index k, const std::vector<std::string>& names) {
  const auto before = lower.topLeftCorner(k, k).transpose().triangularView<Eigen::Upper>();
  const Vector combination = before.solve(lower.row(k).head(k).transpose());
  std::vector<std::string> others;
  for (Index i = 0; i < k; ++i) {
    if (std::abs(combination(i)) > 1e-6) others.push_back(fmt::format("'{}'", names[i]));
  }
  constexpr std::size_t kNamed = 4;
  const std::size_t more = others.size() > kNamed ? others.size() - kNamed : 0;
  others.resize(others.size() - more);
  fail_argument("labels",
                fmt::format("'{}' is determined by {}{}: leave one of them out", names[k],
                            fmt::join(others, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

// Cholesky's factor of the labels' correlations.
Matrix correlation_factor(const Matrix& labels, const std::vector<std::string>& names, int threads) {
  const Matrix correlations = row_products(labels, threads);
  if (auto factor = cholesky(correlations, threads);
      factor && (factor->diagonal().array().square() > kCollinear).all())
    return *std::move(factor);
  // Once more, row by row, up to the first that the others determine.
  Matrix lower = Matrix::Zero(labels.rows(), labels.rows());
  for (Index k = 0; k < lower.rows(); ++k) {
    const auto before = lower.topLeftCorner(k, k).triangularView<Eigen::Lower>();
    if (k > 0) lower.row(k).head(k) = before.solve(correlations.row(k).head(k).transpose()).transpose();
    const double left = 1 - lower.row(k).head(k).squaredNorm();
    if (left <= kCollinear) fail_collinear(lower, k, names);
    lower(k, k) = std::sqrt(left);
  }
  return lower;
}

// As many different rows of labels as coefficients: cells, each with its own mean.
void find_cells(const MatrixRef& labels, LabelDesign& design) {
  const Index most = labels.cols() + 1;
  const auto before = [&labels](Index a, Index b) {
    return std::ranges::lexicographical_compare(labels.row(a), labels.row(b));
  };
  std::map<Index, Index, decltype(before)> known(before);  // by a row of each
  std::vector<Index> cells(static_cast<std::size_t>(labels.rows()));
  for (Index i = 0; i < labels.rows(); ++i) {
    cells[i] = known.emplace(i, std::ssize(known)).first->second;
    if (std::ssize(known) > most) return;
  }
  design.cells = std::move(cells);
  design.cell_count = std::ssize(known);
}

std::vector<bool> decided_by_one(const LabelDesign& design) {
  constexpr double kRounding = 1e-9;
  std::vector<bool> decided(static_cast<std::size_t>(design.weights.rows()));
  for (Index i = 0; i < design.weights.cols(); ++i) {
    if (1 - design.leverages(i) > kLeastRoom) continue;
    for (Index k = 0; k < design.weights.rows(); ++k) {
      const double all = design.weights.row(k).squaredNorm();
      if (design.weights(k, i) * design.weights(k, i) > kRounding * all) decided[k] = true;
    }
  }
  return decided;
}

// D of labels first … first + count - 1, a column each, padded with zeros for core/block_product.h.
Matrix squared_over_room(const LabelDesign& design, Index first, Index count) {
  Matrix d = Matrix::Zero(design.weights.cols(), padded_width(count));
  const auto room = (1 - design.leverages.array()).max(kLeastRoom);
  d.leftCols(count) =
      (design.weights.middleRows(first, count).array().square().rowwise() / room.transpose()).transpose();
  return d;
}

// c += left · right on this thread.
void add_block(const Matrix& left, const Eigen::Ref<const Matrix>& right, Matrix& c) {
  add_product(left.data(), left.rows(), left.cols(), right.data(), right.cols(), c.data());
}

// Σ_ij D_i D_j B_ij² for each label, B = Q Qᵀ the hat matrix with Q's first column 1/√N, in two ways. Of few
// labels (d: N × q) from Q'D Q, of which each number is a sum over rows of products of two columns.
Vector traces_of_few(const LabelDesign& design, const Matrix& d, int threads) {
  const Index q = design.basis.rows();
  const Index n = design.basis.cols();
  Matrix basis(q + 1, n);
  basis << Matrix::Constant(1, n, 1 / std::sqrt(static_cast<double>(n))), design.basis;
  Matrix parts(q + 1, d.cols());
  parallel_for(q + 1, threads, [&](Index column) {
    const Matrix products = basis.bottomRows(q + 1 - column).array().rowwise() * basis.row(column).array();
    Matrix sums = Matrix::Zero(products.rows(), d.cols());
    add_block(products, d, sums);
    parts.row(column) = 2 * sums.colwise().squaredNorm() - sums.row(0).cwiseAbs2();
  });
  return parts.colwise().sum().head(q).transpose();
}

// Of many from stripes of B, each from its diagonal on.
class HatStripes {
 public:
  HatStripes(const LabelDesign& design, int threads) : n_(design.basis.cols()), threads_(threads) {
    for (Index first = 0; first < n_; first += kWidth) {
      const Index count = std::min(kWidth, n_ - first);
      panels_.emplace_back(Matrix::Zero(design.basis.rows(), kWidth));
      panels_.back().leftCols(count) = design.basis.middleCols(first, count);
    }
  }

  // d: D of some labels, a block for each.
  Matrix traces(const std::vector<Matrix>& d) const {
    const Index most = d.front().cols();
    Matrix parts((n_ + kRows - 1) / kRows, (std::ssize(d) - 1) * most + d.back().cols());
    parallel_for(parts.rows(), threads_, [&](Index stripe) {
      const Index first = stripe * kRows;
      const Matrix squares = squares_from(first);
      for (Index block = 0; block < std::ssize(d); ++block) {
        const Matrix& own = d[block];
        Matrix along = Matrix::Zero(squares.rows(), own.cols());
        add_block(squares, own.bottomRows(n_ - first), along);
        parts.block(stripe, block * most, 1, own.cols()) =
            2 * along.cwiseProduct(own.middleRows(first, along.rows())).colwise().sum();
      }
    });
    return parts.colwise().sum();
  }

 private:
  static constexpr Index kWidth = 96;
  static constexpr Index kRows = 3 * kWidth;

  // B_ij², rows first …, columns from the same on; half of it where rows meet themselves, as what is beyond
  // counts twice.
  Matrix squares_from(Index first) const {
    const Index rows = std::min(kRows, n_ - first);
    Matrix left(rows, panels_.front().rows());
    for (Index r = 0; r < rows; r += kWidth) {
      const Index count = std::min(kWidth, rows - r);
      left.middleRows(r, count) = panels_[(first + r) / kWidth].leftCols(count).transpose();
    }
    Matrix squares(rows, n_ - first);
    for (Index column = first; column < n_; column += kWidth) {
      Matrix hat = Matrix::Constant(rows, kWidth, 1 / static_cast<double>(n_));
      add_block(left, panels_[column / kWidth], hat);
      const Index count = std::min(kWidth, n_ - column);
      squares.middleCols(column - first, count) = hat.leftCols(count).array().square();
    }
    squares.leftCols(rows) /= 2;
    return squares;
  }

  Index n_;
  int threads_;
  std::vector<Matrix> panels_;
};

Vector traces(const LabelDesign& design, const std::vector<Matrix>& d, int threads) {
  const Index q = design.basis.rows();
  const bool few = (q + 1) * (q + 1) <= 2 * design.basis.cols();
  if (few && d.size() == 1) return traces_of_few(design, d.front(), threads);
  return HatStripes(design, threads).traces(d).leftCols(q).transpose();
}

Vector bell_mccaffrey(const LabelDesign& design, int threads) {
  constexpr Index kLabelsAtOnce = 96;
  const Index q = design.basis.rows();
  const Vector room = 1 - 2 * design.leverages.array();
  std::vector<Matrix> d;
  Vector own(q);
  for (Index first = 0; first < q; first += kLabelsAtOnce) {
    const Index count = std::min(kLabelsAtOnce, q - first);
    d.push_back(squared_over_room(design, first, count));
    own.segment(first, count) = d.back().leftCols(count).cwiseAbs2().transpose() * room;
  }
  const Vector total = design.weights.rowwise().squaredNorm();
  return (total.array().square() / (own + traces(design, d, threads)).array()).max(1);
}

Vector group_degrees(const LabelDesign& design, const Groups& groups) {
  Vector degrees(design.weights.rows());
  for (Index k = 0; k < degrees.size(); ++k) {
    Vector parts = Vector::Zero(groups.count);
    for (Index i = 0; i < design.weights.cols(); ++i)
      parts(groups.of_row[i]) += design.weights(k, i) * design.weights(k, i);
    degrees(k) = std::max(1.0, parts.sum() * parts.sum() / parts.squaredNorm() - 1);
  }
  return degrees;
}

}  // namespace

LabelDesign design_labels(const MatrixRef& labels, const std::vector<std::string>& names,
                          const Groups& groups, int threads) {
  check_at_least("labels", "number of labels", labels.cols(), 1);
  check_at_least("labels", "number of rows", labels.rows(), labels.cols() + 2);
  if (!groups.empty()) {
    check_same("labels", "rows", "the groups", std::ssize(groups.of_row), "the labels", labels.rows());
    check_at_least("labels", "number of groups", groups.count, 2);
  }
  LabelDesign design;
  design.basis = labels.transpose();
  const Vector lengths = standardise(design.basis, names);
  const Matrix lower = correlation_factor(design.basis, names, threads);
  const Index n = labels.rows();
  design.weights.resize(labels.cols(), n);
  const TriangularSolver solver(lower);
  constexpr Index kColumnsAtOnce = 128;
  parallel_for((n + kColumnsAtOnce - 1) / kColumnsAtOnce, threads, [&](Index stripe) {
    const Index first = stripe * kColumnsAtOnce;
    const Index count = std::min(kColumnsAtOnce, n - first);
    Matrix part = Matrix::Zero(design.basis.rows(), padded_width(count));
    part.leftCols(count) = design.basis.middleCols(first, count);
    solver.solve(part);
    design.basis.middleCols(first, count) = part.leftCols(count);
    solver.solve_transposed(part);
    design.weights.middleCols(first, count) = part.leftCols(count).array().colwise() / lengths.array();
  });
  design.leverages = design.basis.colwise().squaredNorm().transpose().array() + 1 / static_cast<double>(n);
  design.inflation = design.weights.rowwise().squaredNorm().array() * lengths.array().square();
  design.decided_by_one = decided_by_one(design);
  if (!groups.empty()) {
    design.degrees = group_degrees(design, groups);
    return design;
  }
  find_cells(labels, design);
  if (design.cells.empty()) design.degrees = bell_mccaffrey(design, threads);
  return design;
}

Vector influence_weights(const LabelDesign& design, Index label) {
  return design.weights.row(label).transpose().array() /
         (1 - design.leverages.array()).max(kLeastRoom).sqrt();
}

}  // namespace atcav::stats
