#include "fit/weighted_sums.h"

#include <algorithm>
#include <array>

#include "core/block_product.h"
#include "core/check.h"
#include "core/cpu_clones.h"
#include "core/parallel.h"

namespace atcav::fit {
namespace {

constexpr Index kRowsPerTask = 48;
constexpr Index kColumnsPerTask = 512;
constexpr Index kLanes = 8;

// GCC makes one AVX-512 register of it, two of AVX2's, or four of SSE2's.
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(8)));

// sums (a panel wide) = Σ weights_i · panel row i over the chosen i.
ATCAV_CPU_CLONES
void sum_rows(const Index* chosen, Index count, const double* weights, const double* panel, double* sums) {
  constexpr Index kParts = Panels::kWidth / kLanes;
  Lanes total[kParts] = {};
  for (Index i = 0; i < count; ++i) {
    const double weight = weights[chosen[i]];
    const double* row = panel + chosen[i] * Panels::kWidth;
    for (Index v = 0; v < kParts; ++v) total[v] += weight * *reinterpret_cast<const Lanes*>(row + v * kLanes);
  }
  for (Index v = 0; v < kParts; ++v) *reinterpret_cast<Lanes*>(sums + v * kLanes) = total[v];
}

constexpr Index kListsAtOnce = 4;  // their sums do not wait for each other

// The same with weights of 1, kLanes inputs of kListsAtOnce lists of equal length: `slice` has kLanes numbers
// for each column, few enough for the processor's first cache.
ATCAV_CPU_CLONES
void sum_plain_rows(const Index* const* chosen, Index count, const double* slice, double* sums) {
  Lanes total[kListsAtOnce] = {};
  for (Index i = 0; i < count; ++i) {
    for (Index l = 0; l < kListsAtOnce; ++l)
      total[l] += *reinterpret_cast<const Lanes*>(slice + chosen[l][i] * kLanes);
  }
  for (Index l = 0; l < kListsAtOnce; ++l) *reinterpret_cast<Lanes*>(sums + l * kLanes) = total[l];
}

bool equally_long(const std::vector<std::vector<Index>>& lists) {
  return std::ranges::all_of(lists, [&](const auto& list) { return list.size() == lists.front().size(); });
}

// chosen_sums with weights of 1, of lists of equal length.
Matrix plain_sums(const std::vector<std::vector<Index>>& chosen, const Panels& values, int threads) {
  constexpr Index kListsPerTask = 1024;
  const auto count = static_cast<Index>(chosen.size());
  const Index parts = (count + kListsPerTask - 1) / kListsPerTask;
  const Index slices = (values.inputs() + kLanes - 1) / kLanes;
  Matrix result(count, values.inputs());
  parallel_for(slices * parts, threads, [&](Index task) {
    const Index input = task % slices * kLanes;
    const Index width = std::min(kLanes, values.inputs() - input);
    const Matrix slice = values.panel(input / Panels::kWidth).middleCols(input % Panels::kWidth, kLanes);
    const Index end = std::min(count, (task / slices + 1) * kListsPerTask);
    for (Index first = task / slices * kListsPerTask; first < end; first += kListsAtOnce) {
      std::array<const Index*, kListsAtOnce> lists;
      for (Index l = 0; l < kListsAtOnce; ++l)
        lists[l] = chosen[static_cast<std::size_t>(std::min(first + l, end - 1))].data();
      std::array<double, kListsAtOnce * kLanes> sums;
      sum_plain_rows(lists.data(), std::ssize(chosen.front()), slice.data(), sums.data());
      for (Index l = 0; l < std::min(kListsAtOnce, end - first); ++l)
        std::copy_n(sums.data() + l * kLanes, width, result.row(first + l).data() + input);
    }
  });
  return result;
}

// body(panel, first row, rows) for some rows of a result at a time.
template <typename Body>
void each_part(const Panels& values, Index rows, int threads, const Body& body) {
  const Index parts = (rows + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(values.count() * parts, threads, [&](Index task) {
    const Index first = task / values.count() * kRowsPerTask;
    body(task % values.count(), first, std::min(kRowsPerTask, rows - first));
  });
}

}  // namespace

Panels::Panels(Index inputs, Index columns) : inputs_(inputs), columns_(columns) {
  for (Index first = 0; first < inputs; first += kWidth) panels_.emplace_back(Matrix::Zero(columns, kWidth));
}

Index Panels::width(Index p) const { return std::min(kWidth, inputs_ - p * kWidth); }

void Panels::set(Index first, const MatrixRef& values, int threads) {
  check_same("Panels", "inputs", "values", values.rows(), "the panels", inputs_);
  check_at_least("Panels", "columns", columns_, first + values.cols());
  const Index blocks = (values.cols() + kColumnsPerTask - 1) / kColumnsPerTask;
  parallel_for(count() * blocks, threads, [&](Index task) {
    const Index p = task % count();
    const Index start = task / count() * kColumnsPerTask;
    const Index own = std::min(kColumnsPerTask, values.cols() - start);
    panels_[static_cast<std::size_t>(p)].block(first + start, 0, own, width(p)) =
        values.block(p * kWidth, start, width(p), own).transpose();
  });
}

Matrix weighted_sums(const Matrix& weights, const Panels& values, int threads) {
  check_same("weighted_sums", "columns", "weights", weights.cols(), "values", values.columns());
  Matrix result(weights.rows(), values.inputs());
  each_part(values, weights.rows(), threads, [&](Index p, Index first, Index rows) {
    std::array<double, kRowsPerTask * Panels::kWidth> sums{};
    add_product(weights.row(first).data(), rows, weights.cols(), values.panel(p).data(), Panels::kWidth,
                sums.data());
    for (Index r = 0; r < rows; ++r) {
      std::copy_n(sums.data() + r * Panels::kWidth, values.width(p),
                  result.row(first + r).data() + p * Panels::kWidth);
    }
  });
  return result;
}

Matrix chosen_sums(const std::vector<std::vector<Index>>& chosen, const Vector& weights, const Panels& values,
                   int threads) {
  check_same("chosen_sums", "columns", "weights", weights.size(), "values", values.columns());
  const auto count = static_cast<Index>(chosen.size());
  if (count > 1 && (weights.array() == 1).all() && equally_long(chosen))
    return plain_sums(chosen, values, threads);
  Matrix result(count, values.inputs());
  each_part(values, count, threads, [&](Index p, Index first, Index rows) {
    std::array<double, Panels::kWidth> sums{};
    for (Index k = first; k < first + rows; ++k) {
      const std::vector<Index>& own = chosen[static_cast<std::size_t>(k)];
      const auto size = static_cast<Index>(own.size());
      sum_rows(own.data(), size, weights.data(), values.panel(p).data(), sums.data());
      std::copy_n(sums.data(), values.width(p), result.row(k).data() + p * Panels::kWidth);
    }
  });
  return result;
}

}  // namespace atcav::fit
