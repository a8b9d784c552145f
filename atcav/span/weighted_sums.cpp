#include "atcav/span/weighted_sums.h"

#include <algorithm>
#include <array>
#include <vector>

#include "atcav/base/check.h"
#include "atcav/base/cpu_clones.h"
#include "atcav/base/parallel.h"

namespace atcav::span {
namespace {

// Four rows of weights and sixteen values at a time stay in registers; 512 columns of a panel in the cache.
constexpr Index kLanes = 8;
constexpr Index kWide = 2 * kLanes;
constexpr Index kTall = 4;
constexpr Index kPanel = 2 * kWide;
constexpr Index kDeep = 512;
constexpr Index kRowsPerTask = 128;

// GCC makes one AVX-512 register of it, two of AVX2's, or four of SSE2's.
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(8)));

// sums (4 × 16, rows kPanel apart) += weights (4 × depth) · panel (depth × 16, rows kPanel apart).
ATCAV_CPU_CLONES
void add_block(const double* weights, Index stride, const double* panel, Index depth, double* sums) {
  Lanes total[kTall][2];
  for (Index r = 0; r < kTall; ++r) {
    for (Index v = 0; v < 2; ++v)
      total[r][v] = *reinterpret_cast<const Lanes*>(sums + r * kPanel + v * kLanes);
  }
  for (Index i = 0; i < depth; ++i) {
    const Lanes left = *reinterpret_cast<const Lanes*>(panel + i * kPanel);
    const Lanes right = *reinterpret_cast<const Lanes*>(panel + i * kPanel + kLanes);
    for (Index r = 0; r < kTall; ++r) {
      const double weight = weights[r * stride + i];
      total[r][0] += weight * left;
      total[r][1] += weight * right;
    }
  }
  for (Index r = 0; r < kTall; ++r) {
    for (Index v = 0; v < 2; ++v) *reinterpret_cast<Lanes*>(sums + r * kPanel + v * kLanes) = total[r][v];
  }
}

// sums (32) = Σ weights_i · panel row i over the chosen i.
ATCAV_CPU_CLONES
void sum_rows(const Index* chosen, Index count, const double* weights, const double* panel, double* sums) {
  constexpr Index kParts = kPanel / kLanes;
  Lanes total[kParts] = {};
  for (Index i = 0; i < count; ++i) {
    const double weight = weights[chosen[i]];
    const double* row = panel + chosen[i] * kPanel;
    for (Index v = 0; v < kParts; ++v) total[v] += weight * *reinterpret_cast<const Lanes*>(row + v * kLanes);
  }
  for (Index v = 0; v < kParts; ++v) *reinterpret_cast<Lanes*>(sums + v * kLanes) = total[v];
}

}  // namespace

Matrix weighted_sums(const Matrix& weights, const Eigen::MatrixXd& values, int threads) {
  check_same("weighted_sums", "columns", "weights", weights.cols(), "values", values.cols());
  const Index n = values.cols();
  const Index m = values.rows();
  Matrix result(weights.rows(), m);
  const Index panels = (m + kPanel - 1) / kPanel;
  const Index parts = (weights.rows() + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(panels * parts, threads, [&](Index task) {
    const Index value = task % panels * kPanel;
    const Index width = std::min(kPanel, m - value);
    const Index first = task / panels * kRowsPerTask;
    const Index rows = std::min(kRowsPerTask, weights.rows() - first);
    const Index whole = rows / kTall * kTall;
    std::vector<double> panel(static_cast<std::size_t>(kDeep * kPanel));
    std::vector<double> sums(static_cast<std::size_t>((rows + kTall) * kPanel));
    std::array<double, kTall * kDeep> rest{};  // the last rows, with zeros for those that are missing
    for (Index start = 0; start < n; start += kDeep) {
      const Index depth = std::min(kDeep, n - start);
      for (Index i = 0; i < depth; ++i)
        std::copy_n(values.col(start + i).data() + value, width, panel.data() + i * kPanel);
      for (Index r = 0; r < rows; r += kTall) {
        const double* block = weights.row(first + r).data() + start;
        Index stride = n;
        if (r == whole) {
          for (Index k = 0; k < rows - whole; ++k) std::copy_n(block + k * n, depth, rest.data() + k * kDeep);
          block = rest.data();
          stride = kDeep;
        }
        for (Index v = 0; v < width; v += kWide)
          add_block(block, stride, panel.data() + v, depth, sums.data() + r * kPanel + v);
      }
    }
    for (Index r = 0; r < rows; ++r)
      std::copy_n(sums.data() + r * kPanel, width, result.row(first + r).data() + value);
  });
  return result;
}

Matrix chosen_sums(const std::vector<std::vector<Index>>& chosen, const Vector& weights,
                   const Eigen::MatrixXd& values, int threads) {
  check_same("chosen_sums", "columns", "weights", weights.size(), "values", values.cols());
  const Index n = values.cols();
  const Index m = values.rows();
  const auto count = static_cast<Index>(chosen.size());
  Matrix result(count, m);
  const Index panels = (m + kPanel - 1) / kPanel;
  const Index parts = (count + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(panels * parts, threads, [&](Index task) {
    const Index value = task % panels * kPanel;
    const Index width = std::min(kPanel, m - value);
    std::vector<double> panel(static_cast<std::size_t>(n * kPanel));
    for (Index i = 0; i < n; ++i) std::copy_n(values.col(i).data() + value, width, panel.data() + i * kPanel);
    const Index first = task / panels * kRowsPerTask;
    std::array<double, kPanel> sums{};
    for (Index k = first; k < std::min(first + kRowsPerTask, count); ++k) {
      const std::vector<Index>& rows = chosen[static_cast<std::size_t>(k)];
      sum_rows(rows.data(), static_cast<Index>(rows.size()), weights.data(), panel.data(), sums.data());
      std::copy_n(sums.data(), width, result.row(k).data() + value);
    }
  });
  return result;
}

}  // namespace atcav::span
