#include "fit/fit_refitter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "atcav/random.h"
#include "fit/resampling.h"
#include "fit/testing_refitter.h"

namespace atcav::fit {
namespace {

using stats::CavMethod;

struct Data {
  std::string name;
  Matrix rows;
  Index random;
};

void PrintTo(const Data& data, std::ostream* out) { *out << data.name; }

Data make(const std::string& name, Index random, Index positive, Index columns, double signal, double mean) {
  return {name, two_sets(key_word(name), random, positive, columns, signal, mean), random};
}

// What solvers find hard.
std::vector<Data> hard_data() {
  std::vector<Data> all = {make("wide", 40, 20, 150, 1, 0),
                           make("tall", 90, 40, 8, 0.7, 2),
                           make("unbalanced", 110, 6, 60, 1, 1),
                           make("separable", 30, 30, 20, 20, 0),
                           make("more rows than columns", 100, 20, 80, 0.5, 1),
                           make("as many columns as rows", 40, 24, 64, 0.5, 10)};
  Data collinear = make("collinear", 40, 25, 70, 1, 1);
  for (Index i = 10; i < 30; ++i) {
    collinear.rows.row(i) =
        collinear.rows.row(i % 10) * 0.5 + collinear.rows.row(i % 7) * 0.5 + 1e-6 * collinear.rows.row(i);
  }
  Data duplicates = make("duplicates", 40, 20, 60, 1, 1);
  for (Index i = 20; i < 50; ++i) duplicates.rows.row(i) = duplicates.rows.row(i % 13);
  Data decaying = make("decaying", 50, 30, 100, 1, 1);
  for (Index j = 0; j < 100; ++j) decaying.rows.col(j) *= std::pow(1.0 + static_cast<double>(j), -1.5);
  // Enough rows for a top space (top_space.h), and a few directions far longer than all others.
  Data spiked = make("spiked", 230, 60, 40, 1, 1);
  spiked.rows.leftCols(3) *= 10;
  all.insert(all.end(), {collinear, duplicates, decaying, spiked});
  return all;
}

class HardData : public testing::TestWithParam<Data> {};

// Ridge, logistic and svm, from almost no penalty to almost nothing else: refit by refit within 1e-6 of the
// largest sensitivity of the direct solver. Where svm has rows with both labels at a huge cost, their losses
// drown what its direct solver measures convergence by; what the order of the rows changes there is allowed
// ten times.
TEST_P(HardData, FitsAreTheDirectOnes) {
  const Data& data = GetParam();
  const Matrix gradients = Stream(77).normal_matrix(7, data.rows.cols());
  const ResamplingOptions options{.seed = 2, .key = 5, .threads = 2};
  std::vector<stats::CavOptions> methods;
  for (const double size : {1e-6, 1e-2, 1.0, 1e3}) {
    methods.push_back({.method = CavMethod::kRidge, .lambda = size, .centred = true});
    methods.push_back({.method = CavMethod::kRidge, .lambda = size, .centred = false});
    methods.push_back({.method = CavMethod::kLogistic, .cost = size});
    methods.push_back({.method = CavMethod::kSvm, .cost = size});
  }
  for (const stats::CavOptions& method : methods) {
    const FitRefitter shared(fit_rows(data.rows, gradients), data.random, method, 2);
    DirectRefitter plain(data.rows, gradients, data.random, method);
    const auto same = [&](const std::string& what, const auto& runs) {
      const Matrix found = runs(shared);
      const Matrix wanted = runs(plain);
      double allowed = 1e-6 * wanted.cwiseAbs().maxCoeff();
      if (method.method == CavMethod::kSvm) {
        plain.backwards = true;
        allowed += 10 * (runs(plain) - wanted).cwiseAbs().maxCoeff();
        plain.backwards = false;
        if (method.cost == 1e3) allowed *= 3;
        // Rows with both labels at a huge cost, whose sides go round in circles: there the interior point
        // method itself differs by this much between a row that counts twice and the row twice.
        if (method.cost == 1e3 && data.name == "duplicates") allowed = 2e-4 * wanted.cwiseAbs().maxCoeff();
        // The direct solver stops at a gap of 1e-13; where w is this small that is more than 1e-6 of it (the
        // shared fit's objective is the lower one there, by half the square of the difference).
        if (method.cost == 1e-6) allowed *= 30;
      }
      EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), allowed)
          << what << ", " << stats::name(method.method) << ", centred " << method.centred << ", lambda "
          << method.lambda << ", cost " << method.cost;
    };
    same("full", [](const Refitter& r) -> Matrix { return r.full().transpose(); });
    same("bootstrap", [&](const Refitter& r) { return bootstrap_runs(r, 4, options); });
    same("jackknife", [&](const Refitter& r) { return r.refits(jackknife_drawing(r, 5, 1, options), 1); });
    same("halves", [&](const Refitter& r) { return half_runs(r, 2, options); });
  }
}

INSTANTIATE_TEST_SUITE_P(All, HardData, testing::ValuesIn(hard_data()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& letter : name) letter = letter == ' ' ? '_' : letter;
  return name;
});

// Threads and neighbours in a block change no bit.
TEST(FitRefitter, DoesNotDependOnThreads) {
  const Data data = make("threads", 60, 30, 120, 1, 1);
  const Matrix gradients = Stream(78).normal_matrix(5, 120);
  for (const CavMethod method : {CavMethod::kRidge, CavMethod::kLogistic, CavMethod::kSvm}) {
    const FitRefitter refitter(fit_rows(data.rows, gradients), data.random, {.method = method}, 1);
    const Matrix one = bootstrap_runs(refitter, 45, {7, 3, 1});
    EXPECT_EQ(one, bootstrap_runs(refitter, 45, {7, 3, 3}));
    EXPECT_EQ(one.topRows(3), bootstrap_runs(refitter, 3, {7, 3, 1}));
  }
}

// Where K is larger than a cache, threads work on one product together.
TEST(FitRefitter, DoesNotDependOnThreadsThatWorkTogether) {
  const Data data = make("large", 1500, 300, 920, 1, 1);
  const Matrix gradients = Stream(78).normal_matrix(3, 920);
  for (const CavMethod method : {CavMethod::kRidge, CavMethod::kLogistic}) {
    const FitRefitter refitter(fit_rows(data.rows, gradients), data.random, {.method = method}, 3);
    const Matrix one = bootstrap_runs(refitter, 6, {7, 3, 1});
    EXPECT_EQ(one, bootstrap_runs(refitter, 6, {7, 3, 3}));
    EXPECT_EQ(one.topRows(2), bootstrap_runs(refitter, 2, {7, 3, 2}));
    EXPECT_EQ(refitter.full(),
              FitRefitter(fit_rows(data.rows, gradients), data.random, {.method = method}, 1).full());
  }
}

const stats::CavOptions kFits[] = {{.method = CavMethod::kRidge},
                                   {.method = CavMethod::kRidge, .centred = false},
                                   {.method = CavMethod::kLogistic},
                                   {.method = CavMethod::kSvm}};

// 14 random and 9 concept rows, by their columns or by their products.
struct Example {
  Matrix rows = two_sets(1, 14, 9, 50, 0.5, 0.3);
  Matrix gradients = Stream(3).normal_matrix(6, 50);

  FitRows by_rows() const { return fit_rows(rows, gradients); }
  FitRows by_products() const {
    FitRows known = by_rows();
    known.rows.resize(0, 0);
    known.gradients.resize(0, 0);
    known.products = rows * rows.transpose();
    return known;
  }
  Vector direct(const RowNumbers& random, const RowNumbers& concept_rows,
                const stats::CavOptions& options) const {
    return stats::plain_direction(rows(random, Eigen::all), rows(concept_rows, Eigen::all), options);
  }
};

TEST(FitRefitter, DirectionAndStepAreThoseOfTheFit) {
  const Example example;
  const Vector way =
      (example.rows.bottomRows(9).colwise().mean() - example.rows.topRows(14).colwise().mean()).transpose();
  for (const stats::CavOptions& options : kFits) {
    const Vector w = example.direct(row_range(0, 14), row_range(14, 23), options);
    const FitRefitter by_rows(example.by_rows(), 14, options);
    const FitRefitter by_products(example.by_products(), 14, options);
    EXPECT_LT((by_rows.direction() - w).norm(), 1e-7 * w.norm()) << stats::name(options.method);
    EXPECT_LT((example.rows.transpose() * by_products.direction() - w).norm(), 1e-7 * w.norm())
        << stats::name(options.method);
    const double step = w.dot(way) / w.squaredNorm();
    EXPECT_NEAR(by_rows.step(), step, 1e-6 * step);
    EXPECT_NEAR(by_products.step(), step, 1e-6 * step);
  }
}

const RowNumbers kRandom = {0, 3, 3, 7, 12};
const RowNumbers kConcept = {14, 20, 21, 20};

// Sensitivities of a refit times the step of the whole are z·w of the refit times its own step.
TEST(FitRefitter, RefitsInStepsAreInLogits) {
  const Example example;
  const Vector way = (example.rows(kConcept, Eigen::all).colwise().mean() -
                      example.rows(kRandom, Eigen::all).colwise().mean())
                         .transpose();
  for (const stats::CavOptions& options : kFits) {
    const FitRefitter refitter(example.by_rows(), 14, options, 1, /*in_steps=*/true);
    const Vector w = example.direct(kRandom, kConcept, options);
    const Vector logits = example.gradients * w * (w.dot(way) / w.squaredNorm());
    EXPECT_LT((refitter.step() * refitter.sensitivities(kRandom, kConcept) - logits).norm(),
              1e-6 * logits.norm())
        << stats::name(options.method);
    const Vector whole = refitter.sensitivities(row_range(0, 14), row_range(14, 23));
    EXPECT_LT((whole - refitter.full()).norm(), 1e-9 * whole.norm()) << "all rows: nothing to bring anywhere";
  }
}

// What equal sets leave of w is rounding, and no sensitivity.
TEST(FitRefitter, EqualSetsGiveExactlyNothing) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const Index columns : {6, 90}) {
      const Matrix rows = Stream(seed).normal_matrix(30, columns).replicate(2, 1);
      const Matrix gradients = Stream(seed + 100).normal_matrix(8, columns);
      for (const stats::CavOptions& options : kFits) {
        const FitRefitter refitter(fit_rows(rows, gradients), 30, options, 1);
        EXPECT_EQ(refitter.full(), Vector::Zero(8)) << stats::name(options.method) << ", seed " << seed;
      }
    }
  }
}

// Rows in other units, and the penalty with them: w in those units, and no other answer. Full fits and
// refits, from rows of many columns and of few, separable or not.
TEST(FitRefitter, UnitsChangeNoAnswer) {
  const ResamplingOptions options{.seed = 2, .key = 5, .threads = 1};
  for (const Data& data : {make("wide", 40, 20, 150, 1, 0), make("tall", 90, 40, 8, 0.7, 2),
                           make("unbalanced", 110, 6, 60, 1, 1)}) {
    const Matrix gradients = Stream(77).normal_matrix(7, data.rows.cols());
    for (const stats::CavOptions& method : kFits) {
      const auto runs = [&](double unit) {
        stats::CavOptions scaled = method;
        scaled.cost /= unit * unit;
        scaled.lambda *= unit * unit;
        const FitRefitter fits(fit_rows(unit * data.rows, gradients), data.random, scaled, 1);
        Matrix found(5, 7);
        found << fits.full().transpose(), bootstrap_runs(fits, 4, options);
        const Vector direct =
            gradients * stats::fit_cav(unit * data.rows.topRows(data.random),
                                       unit * data.rows.bottomRows(data.rows.rows() - data.random), scaled)
                            .direction;
        EXPECT_LT((direct.transpose() - found.row(0)).norm(), 1e-6 * direct.norm()) << unit;
        return Matrix(unit * found);
      };
      const Matrix wanted = runs(1);
      for (const double unit : {1e-12, 1e-9, 2e-6, 1e-3, 100.0, 1e8, 1e12})
        EXPECT_LT((runs(unit) - wanted).norm(), 1e-6 * wanted.norm())
            << data.name << ", " << stats::name(method.method) << " x " << unit;
    }
  }
}

// The same rows in larger or smaller units at the same cost, which is another problem: the direct solver's
// answer, and a direction.
TEST(FitRefitter, LargeAndSmallRowsHaveADirection) {
  const ResamplingOptions options{.seed = 2, .key = 5, .threads = 2};
  struct Case {
    Data data;
    double unit, cost;
    CavMethod method;
  };
  const Data many = make("many", 6000, 500, 128, 0.5, 1);
  const Data some = make("some", 1000, 300, 128, 0.5, 1);
  const Data wide = make("wide", 60, 30, 200, 0.5, 1);
  for (const auto& [data, unit, cost, method] :
       {Case{many, 100, 1, CavMethod::kLogistic}, Case{some, 300, 1, CavMethod::kLogistic},
        Case{some, 1, 1e5, CavMethod::kLogistic}, Case{wide, 1e3, 1, CavMethod::kLogistic},
        Case{wide, 1e8, 1, CavMethod::kSvm}, Case{wide, 2e-6, 1, CavMethod::kSvm},
        Case{wide, 2e-6, 1, CavMethod::kLogistic}, Case{some, 2e-6, 1, CavMethod::kSvm}}) {
    const Data scaled{data.name, unit * data.rows, data.random};
    const Matrix gradients = Stream(77).normal_matrix(7, data.rows.cols());
    const stats::CavOptions fit{.method = method, .cost = cost};
    const FitRefitter shared(fit_rows(scaled.rows, gradients), data.random, fit, 2);
    const stats::CavOptions same_fit{.method = method, .cost = cost * unit * unit};
    const DirectRefitter plain(data.rows, gradients, data.random, same_fit);
    const auto same = [&, &name = data.name, unit = unit, method = method](const Matrix& found,
                                                                           const Matrix& wanted) {
      EXPECT_GT(found.norm(), 0) << name << " x " << unit << ", " << stats::name(method);
      EXPECT_LT((found - wanted).norm(), 1e-6 * wanted.norm())
          << name << " x " << unit << ", " << stats::name(method);
    };
    same(unit * shared.full(), plain.full());
    same(unit * bootstrap_runs(shared, 1, options), bootstrap_runs(plain, 1, options));
  }
}

// Rows that some refits almost part: w is long there, and far from it there is next to no curvature to go by.
// svm's w hardly depends on a cost this high; the interior point method has digits for the lower one, and
// ends at 1e-6 of a dual that is far larger than w.
TEST(FitRefitter, HighCostsHaveADirection) {
  const Data data = make("high cost", 300, 100, 40, 1.2, 0);
  const Matrix gradients = Stream(77).normal_matrix(7, data.rows.cols());
  const ResamplingOptions options{.seed = 2, .key = 5, .threads = 2};
  const auto parts = [&](const Refitter& fits) {
    Matrix found(1 + 2 * 2 + 4, gradients.rows());
    found << fits.full().transpose(), half_runs(fits, 2, options),
        fits.refits(quarter_drawing(fits, 1, options), 2);
    return found;
  };
  for (const double cost : {1e5, 1e7, 1e12}) {
    for (const CavMethod method : {CavMethod::kLogistic, CavMethod::kSvm}) {
      const stats::CavOptions fit{.method = method, .cost = cost};
      const stats::CavOptions same{.method = method,
                                   .cost = method == CavMethod::kSvm ? std::min(cost, 1e5) : cost};
      const Matrix found = parts(FitRefitter(fit_rows(data.rows, gradients), data.random, fit, 2));
      const Matrix wanted = parts(DirectRefitter(data.rows, gradients, data.random, same));
      for (Index k = 0; k < wanted.rows(); ++k)
        EXPECT_LT((found.row(k) - wanted.row(k)).norm(),
                  (method == CavMethod::kSvm ? 1e-4 : 1e-6) * wanted.row(k).norm())
            << stats::name(method) << ", cost " << cost << ", fit " << k;
    }
  }
}

TEST(FitRefitter, RefusesWhatIsNoFit) {
  const Example example;
  const FitRefitter refitter(example.by_rows(), 14, {.method = CavMethod::kSvm});
  EXPECT_THROW(refitter.sensitivities({1, 2}, {2, 15}), std::invalid_argument);
  EXPECT_THROW(refitter.sensitivities({}, {15}), std::invalid_argument);
  EXPECT_THROW(FitRefitter(example.by_rows(), 14, {.method = CavMethod::kFast}), std::invalid_argument);
}

TEST(FitRefitter, HeldOutScoresComeFromFitsWithoutTheRow) {
  const Example example;
  for (const stats::CavOptions& options : kFits) {
    for (const FitRows& rows : {example.by_rows(), example.by_products()}) {
      const pass::HeldOutScores scores = FitRefitter(rows, 14, options).held_out_scores(3);
      for (Index fold = 0; fold < 3; ++fold) {
        RowNumbers sets[2], left[2];
        for (Index row = 0; row < 23; ++row) {
          const Index number = row < 14 ? row : row - 14;
          (number % 3 == fold ? left : sets)[row < 14 ? 0 : 1].push_back(row);
        }
        const Vector w = example.direct(sets[0], sets[1], options);
        const auto mean = [&](const RowNumbers& set) { return (example.rows(set, Eigen::all) * w).mean(); };
        const double middle = (mean(sets[0]) + mean(sets[1])) / 2;
        const double size = 1e-7 * w.norm() * example.rows.rowwise().norm().maxCoeff();
        for (const Index row : left[0])
          EXPECT_NEAR(scores.random.scores(row), example.rows.row(row).dot(w) - middle, size);
        for (const Index row : left[1])
          EXPECT_NEAR(scores.concept_rows.scores(row - 14), example.rows.row(row).dot(w) - middle, size);
        EXPECT_EQ(scores.random.folds[static_cast<std::size_t>(left[0][0])], fold);
      }
    }
  }
}

}  // namespace
}  // namespace atcav::fit
