#include <limits>

#include "bench.h"
#include "pass/pass.h"

// Cost of the pass against n and d: linear in both without K; with K quadratic in n.
namespace atcav {
namespace {

constexpr Index kInputs = 100;
constexpr int kTurns = 3;

double time_pass(Index rows, Index columns, bool gram) {
  const MatrixF gradients = bench::quick_rows(2, kInputs, columns, 0);
  pass::MatrixSource source("random", bench::quick_rows(1, rows, columns, 3));
  const pass::PassOptions options{.gram = gram};
  const pass::Pass pass = pass::run_pass(gradients, {&source}, options);
  const Eigen::Map<const MatrixF> x(source.data(), rows, columns);
  const Vector last = x.row(rows - 1).cast<double>().transpose() - pass.centre;
  bench::prove(
      fmt::format("n {} d {}: last row against double", rows, columns),
      bench::relative_error(pass.sets[0].projections.values.col(rows - 1), gradients.cast<double>() * last),
      1e-5);
  if (gram) {
    const double error = std::abs((*pass.gram)(rows - 1, rows - 1) / last.squaredNorm() - 1);
    bench::prove("  its square in K", error, 1e-5);
  }
  double best = std::numeric_limits<double>::max();
  for (int turn = 0; turn < kTurns; ++turn) {
    best = std::min(best, bench::seconds([&] { pass::run_pass(gradients, {&source}, options); }));
  }
  return best;
}

void table(const char* what, std::initializer_list<std::pair<Index, Index>> sizes, bool gram) {
  fmt::print(" {}\n", what);
  double before = 0;
  for (const auto& [rows, columns] : sizes) {
    const double time = time_pass(rows, columns, gram);
    const double each = 1e9 * time / (static_cast<double>(rows) * static_cast<double>(columns));
    fmt::print("  n {:5}  d {:6}  {:6.3f} s  {:5.2f} ns per value", rows, columns, time, each);
    fmt::print("{}\n", before > 0 ? fmt::format("  x {:.2f}", time / before) : "");
    before = time;
  }
}

}  // namespace
}  // namespace atcav

int main() {
  fmt::print("pass_scaling: {} gradients, rows in memory, best of {} turns; x is against the line above\n",
             atcav::kInputs, atcav::kTurns);
  atcav::table("n doubles", {{1500, 50176}, {3000, 50176}, {6000, 50176}}, false);
  atcav::table("d doubles", {{3000, 25088}, {3000, 50176}, {3000, 100352}}, false);
  atcav::table("d doubles, with K", {{500, 50176}, {500, 100352}, {500, 200704}}, true);
  atcav::table("n doubles, with K", {{250, 100352}, {500, 100352}, {1000, 100352}}, true);
}
