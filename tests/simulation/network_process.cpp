#include "tests/simulation/network_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "atcav/run.h"
#include "core/parallel.h"

namespace atcav::simulation {
namespace {

constexpr Index kColumns = 30;
constexpr Index kUnits = 20;
constexpr double kShift = 2;          // of the concept's examples, in each of its columns
constexpr double kHave = 0.4;         // of it, that class inputs have
constexpr double kWide = 0.8;         // of the logarithm of skewed use
constexpr double kAgainst = -1.2816;  // a tenth of a normal law lies below

class TailNetwork : public model::Model {
 public:
  TailNetwork(Tail tail, double strength) : tail_(tail) {
    facts_.inputs = {{"x", {-1, kColumns}, false}};
    facts_.layers = {{"h", "/h", "Identity", "h", {kColumns}, kColumns, kColumns}};
    facts_.logits = "logits";
    facts_.logit_count = 2;
    facts_.hash = fmt::format("{} {}", static_cast<int>(tail), strength);
    Stream stream(99);
    weights_ = Matrix::Zero(kColumns, kUnits);
    b_ = stream.normal_matrix(tail == Tail::kMlp ? kUnits : kColumns, 2) / 3;
    for (Index i = 0; i < kColumns; ++i) {
      for (Index u = 0; u < kUnits; ++u) {
        const double value = stream.normal() / (i < kTold ? 3 : 5);
        if ((i < kTold) == (u < kUnits / 2)) weights_(i, u) = value;
      }
    }
    const Index own = tail == Tail::kMlp ? kUnits / 2 : kTold;
    for (Index u = 0; u < own; ++u) {
      double side = 1;
      if (tail == Tail::kMlp) side = weights_.col(u).head(kTold).sum() > 0 ? 1 : -1;
      b_(u, 0) = strength * side * (tail == Tail::kMlp ? 0.3 : 1.0 / 3);
    }
  }

  const model::Facts& facts() const override { return facts_; }
  std::vector<RowsPtr> activations(std::span<const std::size_t> /*layers*/,
                                   const std::vector<model::InputBatch>& inputs,
                                   model::Pool /*pool*/) override {
    return {std::make_shared<HostRows>(rows_of(inputs))};
  }
  model::WithLogits gradients(std::span<const std::size_t> /*layers*/,
                              const std::vector<model::InputBatch>& inputs, const std::vector<Index>& targets,
                              model::Pool /*pool*/) override {
    return {{std::make_shared<HostRows>(slopes(rows_of(inputs), targets.front()))}, logits(inputs)};
  }
  RowsPtr logits(const std::vector<model::InputBatch>& inputs) override {
    return std::make_shared<HostRows>(tail(rows_of(inputs).cast<double>()).cast<float>());
  }
  RowsPtr logits_from(std::size_t /*layer*/, const MatrixFRef& rows,
                      const std::vector<model::InputBatch>& /*inputs*/) override {
    return std::make_shared<HostRows>(tail(rows.cast<double>()).cast<float>());
  }
  model::TailGradients tail_gradients(std::size_t layer, const atcav::Rows& rows, const model::Steps& steps,
                                      const std::vector<model::InputBatch>& inputs,
                                      std::span<const std::vector<Index>> targets) override {
    const MatrixF at = model::moved(rows, steps);
    return {logits_from(layer, at, inputs),
            {std::make_shared<HostRows>(slopes(at, targets.front().front()))}};
  }

  Matrix tail(const Matrix& rows) const {
    if (tail_ == Tail::kMlp) return (rows * weights_).array().tanh().matrix() * b_;
    Matrix logits = rows * b_;
    if (tail_ != Tail::kLinear) logits.col(0) += use(rows).cwiseProduct(told(rows));
    return logits;
  }

 private:
  static MatrixF rows_of(const std::vector<model::InputBatch>& inputs) {
    return Eigen::Map<const MatrixF>(inputs[0].reals.data(), inputs[0].rows(), kColumns);
  }
  static Vector told(const Matrix& rows) { return rows.leftCols(kTold).rowwise().sum(); }
  static Vector lognormal(const Matrix& rows) { return (kWide * rows.col(kTold)).array().exp(); }
  Vector use(const Matrix& rows) const {
    if (tail_ == Tail::kSkewed) return lognormal(rows).array() - std::exp(kWide * kWide / 2);
    return (rows.col(kTold).array() < kAgainst).select(Vector::Constant(rows.rows(), -9), 1);
  }
  MatrixF slopes(const MatrixF& at, Index logit) const {
    const Matrix rows = at.cast<double>();
    if (tail_ == Tail::kMlp) {
      const Matrix units = 1 - (rows * weights_).array().tanh().square();
      return (units * b_.col(logit).asDiagonal() * weights_.transpose()).cast<float>();
    }
    Matrix found = b_.col(logit).transpose().replicate(rows.rows(), 1);
    if (tail_ != Tail::kLinear && logit == 0) {
      found.leftCols(kTold).colwise() += use(rows);
      if (tail_ == Tail::kSkewed) found.col(kTold) += kWide * lognormal(rows).cwiseProduct(told(rows));
    }
    return found.cast<float>();
  }

  Tail tail_;
  model::Facts facts_;
  Matrix weights_, b_;
};

class DrawnRows : public model::ExampleSource {
 public:
  explicit DrawnRows(const Matrix& rows) : values_(rows.cast<float>()) {}
  Index rows() const override { return values_.rows(); }
  Index block(Index first, Index count) override { return std::min(count, rows() - first); }
  std::vector<model::InputBatch> read(Index first, Index count) override {
    const MatrixF part = values_.middleRows(first, count);
    return {{{count, kColumns}, {part.data(), part.data() + part.size()}, {}}};
  }

 private:
  MatrixF values_;
};

Matrix rows_with(const NetworkProcess& process, Index count, double share, Stream& stream) {
  Matrix values = draw_rows(process.rows, count, kColumns, stream);
  values.leftCols(kTold).array() += kShift * share;
  return values;
}

}  // namespace

std::string words(const NetworkProcess& process) {
  static constexpr const char* kNames[] = {"linear", "MLP", "skewed", "split"};
  return fmt::format("{:<6} {:>3} {:<11} {:>3}+{:<4} m {:>2}", kNames[static_cast<int>(process.tail)],
                     process.strength, name(process.rows), process.n_concept, process.n_random,
                     process.inputs);
}

Result run_once(const NetworkProcess& process, std::uint64_t number) {
  Stream stream(31, {kTaskSimulation, number});
  Config config;
  config.layers = {"h"};
  config.classes = {{"class", 0, "class"}};
  config.concepts = {{"concept", "concept"}};
  config.random = "random";
  config.intervene = process.inputs;
  config.batch = 2048;
  config.options.threads = 1;
  config.options.permutations = config.options.bootstrap = 19;
  config.options.runs = 2;
  Given given;
  given.network = std::make_shared<TailNetwork>(process.tail, process.strength);
  const auto draw = [&](Index count, double share) {
    return std::make_shared<DrawnRows>(rows_with(process, count, share, stream));
  };
  given.examples[{Role::Kind::kClass, "class"}] = draw(process.inputs, kHave);
  given.examples[{Role::Kind::kConcept, "concept"}] = draw(process.n_concept, 1);
  given.examples[Role::Kind::kRandom] = draw(process.n_random, 0);
  return run(config, {}, given).results.front();
}

std::vector<Result> run_all(const NetworkProcess& process, Index count) {
  std::vector<Result> results(static_cast<std::size_t>(count));
  parallel_for(count, 0, [&](Index i) {
    results[static_cast<std::size_t>(i)] = run_once(process, static_cast<std::uint64_t>(i));
  });
  return results;
}

NetworkTruth truth_of(const NetworkProcess& process) {
  constexpr Index kInputs = 100000;
  const TailNetwork network(process.tail, process.strength);
  Stream stream(5, {kTaskSimulation});
  const Matrix random = rows_with(process, kInputs, 0, stream);
  const Matrix of_class = rows_with(process, kInputs, kHave, stream);
  Eigen::RowVectorXd delta = Eigen::RowVectorXd::Zero(kColumns);
  delta.head(kTold).setConstant(kShift);
  const auto at = [&](const Matrix& rows, double dose) {
    return network.tail(rows.rowwise() + dose * delta).col(0).mean();
  };
  const Matrix erased = of_class - of_class * delta.transpose() / delta.squaredNorm() * delta;
  constexpr double kSmall = 1e-4;
  const double slope = (at(of_class, kSmall) - at(of_class, -kSmall)) / (2 * kSmall);
  const Vector logits = network.tail(random).col(0);
  const double sd = std::sqrt((logits.array() - logits.mean()).square().mean());
  return {(at(random, 1) - at(random, -1)) / 2, (at(of_class, 1) - at(of_class, -1)) / 2,
          (at(random, 1) + at(random, -1)) / 2 - at(random, 0), at(erased, 0) - at(of_class, 0), slope / sd};
}

}  // namespace atcav::simulation
