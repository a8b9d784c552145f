#include "bench.h"
#include "fit/fit_refitter.h"
#include "fit/fit_rows.h"
#include "pass/pass.h"
#include "sgd_classifier.h"

// Fitting again and again: 50 refits on 50 random and 50 concept rows, on inner products and in d
// dimensions with the same solver, and scikit-learn's SGDClassifier (what Captum runs) on the same rows.
namespace atcav {
namespace {

constexpr Index kColumns = 200704;
constexpr Index kRandom = 500;
constexpr Index kConcept = 50;
constexpr Index kInputs = 100;
constexpr Index kRefits = 50;
constexpr Index kWideFits = 2;  // of them done in d dimensions

fit::RowNumbers random_rows(Index refit) {
  std::vector<Index> order = Stream(1, {static_cast<std::uint64_t>(refit)}).permutation(kRandom);
  order.resize(kConcept);
  return order;
}

// The rows of the first fits, one after the other.
MatrixF first_rows(const MatrixF& random) {
  MatrixF rows(kWideFits * kConcept, random.cols());
  for (Index fit = 0; fit < kWideFits; ++fit)
    rows.middleRows(fit * kConcept, kConcept) = random(random_rows(fit), Eigen::all);
  return rows;
}

void run() {
  const MatrixF gradients = bench::quick_rows(1, kInputs, kColumns, 0);
  const MatrixF random = bench::quick_rows(2, kRandom, kColumns, 1);
  const MatrixF positive = bench::quick_rows(3, kConcept, kColumns, 1.01F);
  pass::MatrixSource random_source("random", random);
  pass::MatrixSource positive_source("concept", positive);
  fit::FitRows rows_of_fits;
  const double pass_time = bench::seconds([&] {
    const pass::PassOptions options{.gram = true};
    const pass::Pass pass = pass::run_pass(gradients, {&random_source, &positive_source}, options);
    rows_of_fits = fit::fit_rows(pass, gradients, 0, 1, false);
  });
  fmt::print("  pass and K, once: {:.2f} s\n", pass_time);
  const double sgd = bench::sgd_seconds(first_rows(random), positive, kWideFits);
  if (sgd > 0) {
    fmt::print("  SGDClassifier: {:.2f} s per fit ({} measured), {} refits: {:.0f} s\n", sgd, kWideFits,
               kRefits, sgd * kRefits);
  } else {
    fmt::print("  SGDClassifier: /usr/bin/python3 has no scikit-learn\n");
  }

  const Matrix wide_positive = positive.cast<double>();
  const Matrix wide_gradients = gradients.cast<double>();
  const fit::RowNumbers concept_rows = fit::row_range(kRandom, kRandom + kConcept);
  for (const auto method : {stats::CavMethod::kRidge, stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
    // Inner products are of the size of d; the penalties are chosen to match.
    const stats::CavOptions options{.method = method, .lambda = 1000, .cost = 1e-4};
    const fit::FitRefitter refitter(rows_of_fits, kRandom, options);
    double wide_time = 0;
    for (Index fit = 0; fit < kWideFits; ++fit) {
      const fit::RowNumbers rows = random_rows(fit);
      const Matrix wide_random = random(rows, Eigen::all).cast<double>();
      Vector theirs;
      wide_time += bench::seconds(
          [&] { theirs = wide_gradients * stats::fit_cav(wide_random, wide_positive, options).direction; });
      bench::prove(fmt::format("{}: sensitivities of fit {}", stats::name(method), fit),
                   bench::relative_error(refitter.sensitivities(rows, concept_rows), theirs), 1e-5);
    }
    const double time = bench::seconds([&] {
      for (Index fit = 0; fit < kRefits; ++fit) refitter.sensitivities(random_rows(fit), concept_rows);
    });
    const double wide = wide_time / kWideFits * kRefits;
    fmt::print("  {:8} {} refits: {:.3f} s; in d dimensions {:.0f} s ({} measured): {:.0f} x",
               stats::name(method), kRefits, time, wide, kWideFits, wide / time);
    fmt::print("{}\n", sgd > 0 ? fmt::format("; SGDClassifier {:.0f} x", sgd * kRefits / time) : "");
  }
}

}  // namespace
}  // namespace atcav

int main() {
  fmt::print("refits: d {}, {} random and {} concept rows per fit, {} gradients, one thread each\n",
             atcav::kColumns, atcav::kConcept, atcav::kConcept, atcav::kInputs);
  atcav::run();
}
