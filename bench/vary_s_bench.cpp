#include "bench.h"
#include "fit/resampling.h"
#include "pass/pass.h"

// The paper's vary-s experiment: Multi-TCAV with s runs, many repeats, on a layer as wide as ResNet-50's
// layer2. After one pass it is sums of columns of P; naively each run works in d dimensions.
namespace atcav {
namespace {

constexpr Index kColumns = 401408;
constexpr Index kRandom = 1000;
constexpr Index kConcept = 120;
constexpr Index kInputs = 100;
constexpr Index kRepeats = 50;
constexpr Index kRuns[] = {2, 5, 10, 20, 50};

// Remembers the rows each refit was asked for, so that the naive way can be given the same.
class Recorder : public fit::Refitter {
 public:
  using Refitter::Refitter;
  Vector sensitivities(const fit::RowNumbers& random, const fit::RowNumbers&) const override {
    asked.push_back(random);
    return Vector::Zero(1);
  }
  mutable std::vector<fit::RowNumbers> asked;
};

// One repeat in d dimensions, as fair as it can be: the concept's mean once, runs in parallel, each
// adding up its rows and multiplying by the gradients in float.
Matrix naive_repeat(const MatrixF& gradients, const MatrixF& random, const MatrixF& positive,
                    const std::vector<fit::RowNumbers>& runs) {
  const Eigen::RowVectorXf positive_mean = positive.colwise().mean();
  Matrix result(static_cast<Index>(runs.size()), gradients.rows());
  parallel_for(result.rows(), 0, [&](Index run) {
    Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(random.cols());
    for (const Index row : runs[run]) sum += random.row(row);
    const Eigen::VectorXf cav = (positive_mean - sum / static_cast<float>(runs[run].size())).transpose();
    result.row(run) = (gradients * cav).cast<double>().transpose();
  });
  return result;
}

void run() {
  const MatrixF gradients = bench::quick_rows(1, kInputs, kColumns, 0);
  const MatrixF random = bench::quick_rows(2, kRandom, kColumns, 1);
  const MatrixF positive = bench::quick_rows(3, kConcept, kColumns, 1.1F);
  pass::MatrixSource random_source("random", random);
  pass::MatrixSource positive_source("concept", positive);
  pass::Pass pass;
  const double pass_time = bench::seconds([&] {
    pass = pass::run_pass(gradients, {&random_source, &positive_source}, {});
  });
  const fit::MeanRefitter refitter(pass.sets[0].projections, pass.sets[1].projections, false);

  double naive_time = 0;
  for (const Index runs : kRuns) {
    const fit::ResamplingOptions options{.seed = 7, .threads = 1};
    Recorder recorder(kRandom, kConcept);
    fit::split_runs(recorder, runs, fit::Split::kRandom, options);
    const Matrix ours = fit::split_runs(refitter, runs, fit::Split::kRandom, options);
    Matrix theirs;
    naive_time += bench::seconds([&] { theirs = naive_repeat(gradients, random, positive, recorder.asked); });
    bench::prove(fmt::format("s = {}, sensitivities of all runs", runs), bench::relative_error(ours, theirs),
                 1e-5);
  }
  const double time = bench::seconds([&] {
    for (const Index runs : kRuns) {
      parallel_for(kRepeats, 0, [&](Index repeat) {
        fit::split_runs(refitter, runs, fit::Split::kRandom,
                        {.seed = static_cast<std::uint64_t>(repeat), .threads = 1});
      });
    }
  });
  const double naive = naive_time * kRepeats;
  fmt::print("  the pass, once: {:.2f} s\n", pass_time);
  fmt::print("  all s, {} repeats, after the pass: {:.4f} s\n", kRepeats, time);
  fmt::print(
      "  the same in d dimensions: {:.1f} s (one repeat of each s took {:.2f} s, times {}): {:.0f} x\n",
      naive, naive_time, kRepeats, naive / time);
}

}  // namespace
}  // namespace atcav

int main() {
  fmt::print("vary_s: d {}, {} random, {} concept, {} gradients, pattern, s = 2, 5, 10, 20, 50\n",
             atcav::kColumns, atcav::kRandom, atcav::kConcept, atcav::kInputs);
  atcav::run();
}
