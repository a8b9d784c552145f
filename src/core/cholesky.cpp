#include "core/cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "core/block_product.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav {
namespace {

constexpr Index kPivots = 48;       // of a block, which Eigen factorises and solves
constexpr Index kRowsPerTask = 96;  // of a block's columns

}  // namespace

std::optional<Matrix> cholesky(Matrix a, int threads) {
  check_same("cholesky", "rows", "the matrix", a.rows(), "its columns", a.cols());
  const Index n = a.rows();
  for (Index first = 0; first < n; first += kPivots) {
    const Index count = std::min(kPivots, n - first);
    Matrix known = Matrix::Zero(first, kPivots);
    known.leftCols(count) = a.block(first, 0, count, first).transpose();
    parallel_for((n - first + kRowsPerTask - 1) / kRowsPerTask, threads, [&](Index task) {
      const Index row = first + task * kRowsPerTask;
      const Index rows = std::min(kRowsPerTask, n - row);
      const Matrix left = a.block(row, 0, rows, first);
      Matrix sums = Matrix::Zero(rows, kPivots);
      add_product(left.data(), rows, first, known.data(), kPivots, sums.data());
      a.block(row, first, rows, count) -= sums.leftCols(count);
    });
    const Eigen::LLT<Matrix> pivots(a.block(first, first, count, count));
    if (pivots.info() != Eigen::Success) return std::nullopt;
    const Matrix upper = pivots.matrixU();
    const Index end = first + count;
    a.block(first, first, count, count) = upper.transpose();
    parallel_for((n - end + kRowsPerTask - 1) / kRowsPerTask, threads, [&](Index task) {
      const Index row = end + task * kRowsPerTask;
      auto below = a.block(row, first, std::min(kRowsPerTask, n - row), count);
      upper.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(below);
    });
  }
  a.triangularView<Eigen::StrictlyUpper>().setZero();
  return a;
}

TriangularSolver::TriangularSolver(const Matrix& lower) {
  const Index n = lower.rows();
  for (Index first = 0; first < n; first += kPivots) {
    const Index count = std::min(kPivots, n - first);
    const Index end = first + count;
    blocks_.push_back({first, count, lower.block(first, first, count, count),
                       -lower.block(first, 0, count, first),
                       -lower.block(end, first, n - end, count).transpose()});
  }
}

void TriangularSolver::solve(Matrix& x) const {
  for (const Block& block : blocks_) {
    double* const own = x.data() + block.first * x.cols();
    add_product(block.before.data(), block.count, block.first, x.data(), x.cols(), own);
    block.diagonal.triangularView<Eigen::Lower>().solveInPlace(x.middleRows(block.first, block.count));
  }
}

void TriangularSolver::solve_transposed(Matrix& x) const {
  for (std::size_t b = blocks_.size(); b-- > 0;) {
    const Block& block = blocks_[b];
    const Index end = block.first + block.count;
    add_product(block.after.data(), block.count, block.after.cols(), x.data() + end * x.cols(), x.cols(),
                x.data() + block.first * x.cols());
    block.diagonal.transpose().triangularView<Eigen::Upper>().solveInPlace(
        x.middleRows(block.first, block.count));
  }
}

void TriangularSolver::solve_both(Matrix& x, int threads) const {
  constexpr Index kColumnsAtOnce = 128;
  parallel_for((x.cols() + kColumnsAtOnce - 1) / kColumnsAtOnce, threads, [&](Index stripe) {
    const Index first = stripe * kColumnsAtOnce;
    const Index count = std::min(kColumnsAtOnce, x.cols() - first);
    Matrix part = Matrix::Zero(x.rows(), padded_width(count));
    part.leftCols(count) = x.middleCols(first, count);
    solve(part);
    solve_transposed(part);
    x.middleCols(first, count) = part.leftCols(count);
  });
}

}  // namespace atcav
