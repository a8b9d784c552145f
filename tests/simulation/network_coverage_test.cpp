// docs/theory/significance.md: do the intervals of adding and of taking away hold what they promise, and does
// a concept without effect stay without one? Whole runs on closed-form networks, examples and inputs drawn
// anew each time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "atcav/random.h"
#include "atcav/run.h"
#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

constexpr Index kColumns = 30;
constexpr Index kTold = 3;  // columns in which the concept's examples differ
constexpr Index kUnits = 20;

// Layer "h" is the input itself. Linear: logit = h·b. Otherwise tanh(h·A)·b, where half of the units see only
// the columns of the concept and the other half all others.
class TailNetwork : public model::Model {
 public:
  TailNetwork(bool linear, double strength) : linear_(linear) {
    facts_.inputs = {{"x", {-1, kColumns}, false}};
    facts_.layers = {{"h", "/h", "Identity", "h", {kColumns}, kColumns, kColumns}};
    facts_.logits = "logits";
    facts_.logit_count = 2;
    facts_.hash = fmt::format("{} {}", linear, strength);
    Stream stream(99);
    weights_ = Matrix::Zero(kColumns, kUnits);
    b_ = stream.normal_matrix(linear ? kColumns : kUnits, 2) / 3;
    for (Index i = 0; i < kColumns; ++i) {
      for (Index u = 0; u < kUnits; ++u) {
        const double value = stream.normal() / (i < kTold ? 3 : 5);
        if ((i < kTold) == (u < kUnits / 2)) weights_(i, u) = value;
      }
    }
    const Index own = linear ? kTold : kUnits / 2;
    for (Index u = 0; u < own; ++u) {
      double side = 1;
      if (!linear) side = weights_.col(u).head(kTold).sum() > 0 ? 1 : -1;
      b_(u, 0) = strength * side * (linear ? 1.0 / 3 : 0.3);
    }
  }

  const model::Facts& facts() const override { return facts_; }
  std::vector<RowsPtr> activations(std::span<const std::size_t>, const std::vector<model::InputBatch>& inputs,
                                   model::Pool) override {
    return {std::make_shared<HostRows>(rows_of(inputs))};
  }
  std::vector<RowsPtr> gradients(std::span<const std::size_t>, const std::vector<model::InputBatch>& inputs,
                                 const std::vector<Index>& targets, model::Pool) override {
    return {std::make_shared<HostRows>(slopes(rows_of(inputs), targets.front()))};
  }
  RowsPtr logits(const std::vector<model::InputBatch>& inputs) override {
    return std::make_shared<HostRows>(tail(rows_of(inputs).cast<double>()).cast<float>());
  }
  RowsPtr logits_from(std::size_t, const MatrixFRef& rows, const std::vector<model::InputBatch>&) override {
    return std::make_shared<HostRows>(tail(rows.cast<double>()).cast<float>());
  }
  model::TailGradients tail_gradients(std::size_t, const Rows& rows, const MatrixF& steps,
                                      const std::vector<model::InputBatch>& inputs,
                                      std::span<const std::vector<Index>> targets) override {
    const MatrixF at = rows.host() + (steps.rows() == 1 ? MatrixF(steps.replicate(rows.rows(), 1)) : steps);
    return {logits_from(0, at, inputs), {std::make_shared<HostRows>(slopes(at, targets.front().front()))}};
  }
  Matrix tail(const Matrix& rows) const {
    return linear_ ? Matrix(rows * b_) : Matrix((rows * weights_).array().tanh().matrix() * b_);
  }

 private:
  static MatrixF rows_of(const std::vector<model::InputBatch>& inputs) {
    return Eigen::Map<const MatrixF>(inputs[0].reals.data(), inputs[0].rows(), kColumns);
  }
  MatrixF slopes(const MatrixF& rows, Index logit) const {
    if (linear_) return b_.col(logit).transpose().replicate(rows.rows(), 1).cast<float>();
    const Matrix units = 1 - (rows.cast<double>() * weights_).array().tanh().square();
    return (units * b_.col(logit).asDiagonal() * weights_.transpose()).cast<float>();
  }

  bool linear_;
  model::Facts facts_;
  Matrix weights_, b_;
};

class Drawing : public model::ExampleSource {
 public:
  explicit Drawing(const Matrix& rows) : values_(rows.cast<float>()) {}
  Index rows() const override { return values_.rows(); }
  Index block(Index first, Index count) override { return std::min(count, rows() - first); }
  std::vector<model::InputBatch> read(Index first, Index count) override {
    const MatrixF part = values_.middleRows(first, count);
    return {{{count, kColumns}, {part.data(), part.data() + part.size()}, {}}};
  }

 private:
  MatrixF values_;
};

struct Cell {
  bool linear;
  double strength;
  Index n_concept, n_random, inputs;
};

Matrix concept_rows(Stream& stream, Index rows, double share) {
  Matrix values = stream.normal_matrix(rows, kColumns);
  values.leftCols(kTold).array() += 2 * share;
  return values;
}

Result one_run(const Cell& cell, std::uint64_t seed) {
  Stream stream(seed, {kTaskSimulation});
  Config config;
  config.layers = {"h"};
  config.classes = {{"class", 0, "class"}};
  config.concepts = {{"concept", "concept"}};
  config.random = "random";
  config.intervene = cell.inputs;
  config.batch = 2048;
  config.options.threads = 1;
  config.options.permutations = config.options.bootstrap = 19;
  config.options.runs = 2;
  Given given{std::make_shared<TailNetwork>(cell.linear, cell.strength)};
  given.examples["class 'class'"] = std::make_shared<Drawing>(concept_rows(stream, cell.inputs, 0.4));
  given.examples["concept 'concept'"] = std::make_shared<Drawing>(concept_rows(stream, cell.n_concept, 1));
  given.examples["random"] = std::make_shared<Drawing>(stream.normal_matrix(cell.n_random, kColumns));
  return run(config, {}, given).results.front();
}

// With endless examples and inputs.
struct Truth {
  double odd_random, odd_class, even_random, erased;
};
Truth truth_of(const Cell& cell) {
  constexpr Index kInputs = 100000;
  const TailNetwork network(cell.linear, cell.strength);
  Stream stream(5, {kTaskSimulation});
  const Matrix random = stream.normal_matrix(kInputs, kColumns);
  const Matrix of_class = concept_rows(stream, kInputs, 0.4);
  Eigen::RowVectorXd delta = Eigen::RowVectorXd::Zero(kColumns);
  delta.head(kTold).setConstant(2);
  const auto at = [&](const Matrix& rows, double dose) {
    return network.tail(rows.rowwise() + dose * delta).col(0).mean();
  };
  const Matrix erased = of_class - of_class * delta.transpose() / delta.squaredNorm() * delta;
  return {(at(random, 1) - at(random, -1)) / 2, (at(of_class, 1) - at(of_class, -1)) / 2,
          (at(random, 1) + at(random, -1)) / 2 - at(random, 0), at(erased, 0) - at(of_class, 0)};
}

// How often intervals hold the truth; of erasure also how often they hold its mean at these numbers of
// examples, which is nearer to 0: noise in δ makes it gentler.
struct Coverage {
  double odd_random = 0, odd_class = 0, even_random = 0, inputs_only = 0, erased = 0, erased_here = 0;
  double moves = 0, erasing_moves = 0;
};
Coverage cover(const Cell& cell, Index count) {
  const Truth truth = truth_of(cell);
  Coverage found;
  const auto holds = [&](double low, double high, double value) {
    return (low <= value && value <= high ? 1.0 : 0.0) / static_cast<double>(count);
  };
  std::vector<Erasure> erasures;
  double mean = 0;
  for (Index i = 0; i < count; ++i) {
    const Result result = one_run(cell, static_cast<std::uint64_t>(1000 + i));
    const DoseResponse& random = *result.intervention->random;
    const DoseResponse& of_class = result.intervention->of_class;
    found.odd_random += holds(random.low[2], random.high[2], truth.odd_random);
    found.odd_class += holds(of_class.low[2], of_class.high[2], truth.odd_class);
    found.even_random += holds(random.even_low[2], random.even_high[2], truth.even_random);
    const double reach = 2 * random.error_inputs[2];
    found.inputs_only += holds(random.odd[2] - reach, random.odd[2] + reach, truth.odd_random);
    found.erased += holds(result.erasure->interval.low, result.erasure->interval.high, truth.erased);
    found.moves += (random.p[2] < 0.05 ? 1.0 : 0.0) / static_cast<double>(count);
    found.erasing_moves += (result.erasure->p < 0.05 ? 1.0 : 0.0) / static_cast<double>(count);
    erasures.push_back(*result.erasure);
    mean += result.erasure->change / static_cast<double>(count);
  }
  for (const Erasure& one : erasures) found.erased_here += holds(one.interval.low, one.interval.high, mean);
  return found;
}

TEST(NetworkCoverage, OfAddingAndTakingAway) {
  const Index count = repeats(60);
  const double error = std::sqrt(0.05 * 0.95 / static_cast<double>(count));
  fmt::print("coverage at 95 %, {} runs a cell, one standard error {:.3f}\n", count, error);
  fmt::print("{:22} {:>13} {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} | {:>5} {:>5}\n", "tail, effect",
             "examples, m", "random", "class", "even", "(inp.)", "erase", "(here)", "moves", "erase");
  // Three standard errors beyond 0.93 and 0.97: all cells of a right interval are inside in 99 of 100 sets.
  const double low = 0.94 - 3 * error;
  for (const bool linear : {true, false}) {
    for (const double strength : {0.0, 0.3, 2.0}) {
      for (const auto& [n_concept, n_random, inputs] :
           {std::tuple<Index, Index, Index>{30, 200, 10}, {100, 1000, 64}, {50, 300, 30}}) {
        if (!whole() && inputs == 30) continue;
        const Coverage found = cover({linear, strength, n_concept, n_random, inputs}, count);
        fmt::print("{:22} {:>13} {:6.3f} {:6.3f} {:6.3f} {:7.3f} {:6.3f} {:6.3f} | {:5.3f} {:5.3f}\n",
                   fmt::format("{}, {}", linear ? "linear" : "mlp", strength),
                   fmt::format("{}+{}, {}", n_concept, n_random, inputs), found.odd_random, found.odd_class,
                   found.even_random, found.inputs_only, found.erased, found.erased_here, found.moves,
                   found.erasing_moves);
        EXPECT_GE(found.odd_random, low);
        EXPECT_GE(found.odd_class, low);
        EXPECT_GE(found.erased_here, low);
        if (strength == 0) EXPECT_LE(found.moves, 0.06 + 3 * error);
      }
    }
  }
}

}  // namespace
}  // namespace atcav::simulation
