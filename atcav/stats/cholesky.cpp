#include "atcav/stats/cholesky.h"

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include "atcav/base/block_product.h"
#include "atcav/base/check.h"
#include "atcav/base/crew.h"
#include "atcav/base/parallel.h"

namespace atcav::stats {
namespace {

constexpr Index kFinishedAtOnce = 96;  // columns that are finished at a time
constexpr Index kSquare = 192;         // what is left is worked on in squares of this size

// The columns below a finished diagonal block, in pieces of kSquare rows, and each piece on its side.
struct Panel {
  std::vector<Matrix> pieces;
  std::vector<Matrix> turned;
};

// Rows from `first` on of the columns of `diagonal`, L₂₁ = A₂₁ L₁₁⁻ᵀ.
Panel finish_columns(Matrix& a, Index column, const Matrix& diagonal, Crew& crew) {
  const Index width = diagonal.rows();
  const Index first = column + width;
  const Index count = (a.rows() - first + kSquare - 1) / kSquare;
  Panel panel;
  panel.pieces.resize(static_cast<std::size_t>(count));
  panel.turned.resize(static_cast<std::size_t>(count));
  crew.each(count, [&](Index piece) {
    const Index start = first + piece * kSquare;
    const Index rows = std::min(kSquare, a.rows() - start);
    Matrix turned = Matrix::Zero(width, kSquare);
    turned.leftCols(rows) = a.block(start, column, rows, width).transpose();
    diagonal.triangularView<Eigen::Lower>().solveInPlace(turned);
    a.block(start, column, rows, width) = turned.leftCols(rows).transpose();
    panel.pieces[static_cast<std::size_t>(piece)] = turned.leftCols(rows).transpose();
    panel.turned[static_cast<std::size_t>(piece)] = std::move(turned);
  });
  return panel;
}

// A₂₂ -= L₂₁ L₂₁ᵀ, in its lower triangle.
void take_out_panel(Matrix& a, Index first, const Panel& panel, Crew& crew) {
  const auto count = static_cast<Index>(panel.pieces.size());
  std::vector<std::pair<Index, Index>> squares;
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j <= i; ++j) squares.emplace_back(i, j);
  }
  crew.each(std::ssize(squares), [&](Index which) {
    const auto [i, j] = squares[static_cast<std::size_t>(which)];
    const Index columns = panel.pieces[static_cast<std::size_t>(j)].rows();
    Matrix product;
    multiply_block(panel.pieces[static_cast<std::size_t>(i)], panel.turned[static_cast<std::size_t>(j)],
                   product);
    a.block(first + i * kSquare, first + j * kSquare, product.rows(), columns) -= product.leftCols(columns);
  });
}

}  // namespace

std::optional<Cholesky> Cholesky::factor(Matrix a, int threads) {
  check_same("Cholesky", "rows", "a", a.rows(), "its transpose", a.cols());
  bool positive = true;
  with_crew(a.rows() > kSquare ? threads : 1, [&](Crew& crew) {
    for (Index column = 0; column < a.rows() && positive; column += kFinishedAtOnce) {
      const Index width = std::min(kFinishedAtOnce, a.rows() - column);
      const Eigen::LLT<Eigen::MatrixXd> block(a.block(column, column, width, width));
      positive = block.info() == Eigen::Success;
      const Matrix diagonal = block.matrixL();
      a.block(column, column, width, width) = diagonal;
      const Panel panel = finish_columns(a, column, diagonal, crew);
      take_out_panel(a, column + width, panel, crew);
    }
  });
  if (!positive) return std::nullopt;
  return Cholesky(std::move(a));
}

Matrix Cholesky::solve(const Matrix& right, int threads) const {
  constexpr Index kVectors = 32;
  check_same("Cholesky", "columns", "right", right.cols(), "a", lower_.rows());
  Matrix solutions(right.rows(), right.cols());
  parallel_for((right.rows() + kVectors - 1) / kVectors, threads, [&](Index block) {
    const Index first = block * kVectors;
    const Index count = std::min(kVectors, right.rows() - first);
    Eigen::MatrixXd found = right.middleRows(first, count).transpose();
    lower_.triangularView<Eigen::Lower>().solveInPlace(found);
    lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(found);
    solutions.middleRows(first, count) = found.transpose();
  });
  return solutions;
}

}  // namespace atcav::stats
