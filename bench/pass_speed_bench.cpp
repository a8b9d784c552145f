#include <oneapi/dnnl/dnnl.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bench.h"
#include "pass/pass.h"

// The pass beside what limits it, taken in turns in one run: oneDNN's sgemm on squares (as many as make
// the same work, so that both meet the same disturbances) and on the pass's own product, and a copy of
// the rows.
namespace atcav {
namespace {

constexpr Index kRows = 6000;
constexpr Index kColumns = 100352;
constexpr Index kSquare = 3000;
constexpr int kTurns = 5;

void sgemm(const MatrixF& a, const MatrixF& b, MatrixF& c) {
  dnnl_sgemm('N', 'T', a.rows(), b.rows(), a.cols(), 1.F, a.data(), a.cols(), b.data(), b.cols(), 0.F,
             c.data(), c.cols());
}

void copy_rows(const MatrixF& from, MatrixF& to) {
  parallel_for(from.rows() / 100, 0,
               [&](Index i) { to.middleRows(i * 100, 100) = from.middleRows(i * 100, 100); });
}

void prove_pass(const MatrixF& gradients, const MatrixF& rows, const pass::Pass& pass) {
  const std::vector<Index> some = {0, 17, kRows / 2, kRows - 1};
  const Matrix centred = rows(some, Eigen::all).cast<double>().rowwise() - pass.centre.transpose();
  const Matrix expected = gradients.cast<double>() * centred.transpose();
  const Matrix values = pass.sets[0].projections.values(Eigen::all, some);
  bench::prove("projections against double", bench::relative_error(values, expected), 1e-5);
}

// The best of several turns; in each the work is done three times in a row, since the first time after other
// work finds cold caches and pages.
struct Times {
  double wall = std::numeric_limits<double>::max();
  double processor = wall;

  template <typename Function>
  void take(Function&& function) {
    for (int again = 0; again < 3; ++again) {
      double turn = 0;
      processor = std::min(processor, bench::processor_seconds([&] { turn = bench::seconds(function); }));
      wall = std::min(wall, turn);
    }
  }
};

void run() {
  const MatrixF square = bench::quick_rows(9, kSquare, kSquare, 0);
  MatrixF square_product(kSquare, kSquare);
  MatrixF copied(kRows, kColumns);
  pass::MatrixSource source("random", bench::quick_rows(1, kRows, kColumns, 3));
  const Eigen::Map<const MatrixF> rows(source.data(), kRows, kColumns);
  const MatrixF rows_copy = rows;

  for (const Index inputs : {100, 10}) {
    const MatrixF gradients = bench::quick_rows(2, inputs, kColumns, 0);
    prove_pass(gradients, rows_copy, pass::run_pass(gradients, {&source}, {}));
    MatrixF product(inputs, kRows);
    const double work = 2e-9 * static_cast<double>(inputs) * kRows * kColumns;
    const double square_work = 2e-9 * static_cast<double>(kSquare) * kSquare * kSquare;
    const auto squares = static_cast<Index>(std::ceil(work / square_work));
    Times pass;
    Times peak;
    Times same;
    Times copy;
    for (int turn = 0; turn < kTurns; ++turn) {
      peak.take([&] {
        for (Index i = 0; i < squares; ++i) sgemm(square, square, square_product);
      });
      pass.take([&] { pass::run_pass(gradients, {&source}, {}); });
      same.take([&] { sgemm(gradients, rows_copy, product); });
      copy.take([&] { copy_rows(rows_copy, copied); });
    }
    const double size = 4e-9 * static_cast<double>(kRows) * kColumns;
    const double peak_work = static_cast<double>(squares) * square_work;
    fmt::print("  {:3} gradients  pass {:6.1f} GFLOP/s {:5.1f} GB/s of rows, {:.2f} s\n", inputs,
               work / pass.wall, size / pass.wall, pass.wall);
    fmt::print("    of sgemm {0} x {0} x {0}, {1:.1f} GFLOP/s: {2:.0f} % ({3:.0f} % by processor time)\n",
               kSquare, peak_work / peak.wall, 100 * (work / pass.wall) / (peak_work / peak.wall),
               100 * (work / pass.processor) / (peak_work / peak.processor));
    fmt::print("    of sgemm on the same product, {:.1f} GFLOP/s: {:.0f} % ({:.0f} %)\n", work / same.wall,
               100 * same.wall / pass.wall, 100 * same.processor / pass.processor);
    fmt::print("    of copying the rows, {:.1f} GB/s: {:.0f} % ({:.0f} %)\n", size / copy.wall,
               100 * copy.wall / pass.wall, 100 * copy.processor / pass.processor);
  }
}

}  // namespace
}  // namespace atcav

int main() {
  fmt::print("pass_speed: {} rows of {} columns in memory, {} threads, best of {} turns\n", atcav::kRows,
             atcav::kColumns, atcav::available_threads(), atcav::kTurns);
  atcav::run();
}
