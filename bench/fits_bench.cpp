#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "atcav/run.h"
#include "bench.h"
#include "sgd_classifier.h"

// One result of a fitted method with all its uncertainty at the defaults (some 650 fits), from arrays:
// seconds at growing numbers of examples and the exponent of their growth from one doubling to the next. Then
// 50 runs of svm at the width of a real layer, beside 50 fits of scikit-learn's SGDClassifier on the same
// rows. `fits_bench 1200` stops at that many examples; `fits_bench 6000 16000` has so many columns instead of
// 4,000, so that rows never come near outnumbering them.
namespace atcav {
namespace {

constexpr Index kInputs = 50;

double load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

double seconds_for(const MatrixF& random, const MatrixF& positive, const MatrixF& gradients,
                   const Options& options) {
  return bench::seconds([&] { score({{"concept", positive}}, random, {{"class", gradients}}, options); });
}

void growth(Index most, Index columns) {
  const MatrixF gradients = bench::quick_rows(1, kInputs, columns, 0);
  for (const auto method : {stats::CavMethod::kRidge, stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
    double before = 0;
    Index before_rows = 0;
    for (const auto& [n1, n2] :
         {std::pair<Index, Index>{500, 100}, {1000, 200}, {2000, 400}, {4000, 800}, {5000, 1000}}) {
      if (n1 + n2 > most) break;
      MatrixF positive = bench::quick_rows(3, n2, columns, 1);
      positive.leftCols(columns / 10).array() += 0.2F;
      Options options;
      options.cav.method = method;
      const double time = seconds_for(bench::quick_rows(2, n1, columns, 1), positive, gradients, options);
      fmt::print("  {:8} {:5} + {:4}: {:6.2f} s", stats::name(method), n1, n2, time);
      if (n1 + n2 == 2 * before_rows) fmt::print(", exponent {:.2f}", std::log2(time / before));
      fmt::print(" (load {:.1f})\n", load());
      std::fflush(stdout);
      before = time;
      before_rows = n1 + n2;
    }
  }
}

void many_runs() {
  constexpr Index kColumns = 200704;
  constexpr Index kRuns = 50;
  const MatrixF random = bench::quick_rows(2, 1000, kColumns, 1);
  const MatrixF positive = bench::quick_rows(3, 50, kColumns, 1.01F);
  Options options;
  options.cav.method = stats::CavMethod::kSvm;
  options.runs = kRuns;
  const double time = seconds_for(random, positive, bench::quick_rows(1, kInputs, kColumns, 0), options);
  fmt::print("  svm, {} runs, 1000 + 50, d {}: {:.1f} s for the whole result (load {:.1f})\n", kRuns,
             kColumns, time, load());
  const double sgd = bench::sgd_seconds(random, positive, kRuns);
  if (sgd > 0) {
    fmt::print("  SGDClassifier, {} fits of {} + 50: {:.1f} s (load {:.1f})\n", kRuns, 1000 / kRuns,
               sgd * kRuns, load());
  } else {
    fmt::print("  SGDClassifier: /usr/bin/python3 has no scikit-learn\n");
  }
}

}  // namespace
}  // namespace atcav

int main(int count, char** words) {
  const atcav::Index columns = count > 2 ? std::atol(words[2]) : 4000;
  fmt::print("fits: d {}, {} inputs, {} threads\n", columns, atcav::kInputs, atcav::available_threads());
  atcav::growth(count > 1 ? std::atol(words[1]) : 6000, columns);
  if (count <= 1) atcav::many_runs();
}
