#include "pipeline/interventions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "data/file/sha256.h"
#include "pipeline/warnings.h"

namespace atcav {
namespace {

constexpr double kShareOfRun = 0.25;
constexpr double kGradientCost = 3;  // forward and backward, in forwards

// A direction of channels as steps in the whole layer: a row per example, or one for all of them.
class Spread {
 public:
  Spread(const Rows& activations, const model::Layer& layer, model::Pool pool, MatrixF mask)
      : activations_(activations),
        channels_first_(layer.channels_first),
        pool_(pool),
        mask_(std::move(mask)) {}

  MatrixF steps(const Eigen::VectorXf& direction) {
    if (direction.size() == activations_.columns()) return direction.transpose();
    channels_ = direction.size();
    positions_ = activations_.columns() / channels_;
    const bool masked = mask_.rows() == activations_.rows() && mask_.cols() == positions_;
    if (!masked) mask_.resize(0, 0);
    const bool alike = pool_ == model::Pool::kMean && !masked;
    MatrixF steps = MatrixF::Zero(alike ? 1 : activations_.rows(), activations_.columns());
    for (Index row = 0; row < steps.rows(); ++row) {
      for (Index c = 0; c < channels_; ++c) {
        for (Index p = 0; p < positions_; ++p) {
          if (pool_ == model::Pool::kMean && counts(row, p)) steps(row, at(c, p)) = direction(c);
        }
        if (pool_ != model::Pool::kMean) steps(row, at(c, chosen(row, c))) = direction(c);
      }
    }
    return steps;
  }

 private:
  Index at(Index channel, Index position) const {
    return channels_first_ ? channel * positions_ + position : position * channels_ + channel;
  }
  bool counts(Index row, Index position) const { return mask_.size() == 0 || mask_(row, position) != 0; }

  Index chosen(Index row, Index channel) const {
    if (pool_ != model::Pool::kMax && pool_.token >= 0) return pool_.token;
    Index best = pool_ == model::Pool::kMax ? 0 : positions_ - 1;
    float most = -HUGE_VALF;
    for (Index p = 0; p < positions_; ++p) {
      if (!counts(row, p)) continue;
      if (pool_ == model::Pool::kMax) {
        const float value = activations_.host()(row, at(channel, p));
        if (!(value > most)) continue;
        most = value;
      }
      best = p;  // for `last`: the last that counts
    }
    return best;
  }

  const Rows& activations_;
  bool channels_first_;
  model::Pool pool_;
  MatrixF mask_;
  Index channels_ = 0, positions_ = 0;
};

// Sums over inputs of the odd part, its square and the even part, by dose.
class Sums {
 public:
  explicit Sums(Index columns) : odd_(zeros(columns)), squares_(zeros(columns)), even_(zeros(columns)) {}

  void add(Index dose, const MatrixF& up, const MatrixF& down, const MatrixF& base) {
    const Matrix odd = (up.cast<double>() - down.cast<double>()) / 2;
    const Matrix even = (up.cast<double>() + down.cast<double>()) / 2 - base.cast<double>();
    odd_.row(dose) += odd.colwise().sum();
    squares_.row(dose) += odd.cwiseAbs2().colwise().sum();
    even_.row(dose) += even.colwise().sum();
  }

  // odd, its error and even below each other: 3·doses × columns.
  Matrix result(Index inputs) const {
    const auto n = static_cast<double>(inputs);
    const Matrix odd = odd_ / n;
    Matrix error = Matrix::Zero(odd.rows(), odd.cols());
    if (inputs > 1) error = ((squares_ / n - odd.cwiseAbs2()).cwiseMax(0) / (n - 1)).cwiseSqrt();
    Matrix all(3 * odd.rows(), odd.cols());
    all << odd, error, even_ / n;
    return all;
  }

 private:
  static Matrix zeros(Index columns) { return Matrix::Zero(std::ssize(kDoses), columns); }
  Matrix odd_;
  Matrix squares_;
  Matrix even_;
};

// Inputs that directions are tried out on, at one layer.
class Base {
 public:
  // `number`: that of the class, or behind them.
  Base(Session& session, const InterventionBases& bases, std::size_t number, std::size_t layer)
      : session_(session), bases_(bases), number_(number), layer_(layer) {
    const Index wanted = std::min(bases.inputs, set().rows());
    while (inputs_ < wanted) {
      sizes_.push_back(set().inputs.block(inputs_, std::min(session.batch, wanted - inputs_)));
      inputs_ += sizes_.back();
    }
  }

  Moved move(const Eigen::VectorXf& direction) {
    const Index doses = std::ssize(kDoses);
    const std::string_view bytes(reinterpret_cast<const char*>(direction.data()),
                                 sizeof(float) * static_cast<std::size_t>(direction.size()));
    std::string targets;
    for (const ClassTarget& target : bases_.targets) targets += target.text() + "\n";
    const std::string what =
        fmt::format("intervention at {}, doses {}\ndirection {}\nblocks {}\nbase {} of targets\n{}{}",
                    layer().name, fmt::join(kDoses, " "), data::sha256(bytes), fmt::join(sizes_, " "),
                    number_, targets, fmt::join(set().hashes_of(0, inputs_), "\n"));
    const Matrix all =
        session_.cache.kept(what, 3 * doses, columns(), [&] { return run(direction); }).cast<double>();
    return {inputs_, logits(), all.topRows(doses), all.middleRows(doses, doses), all.bottomRows(doses)};
  }

 private:
  struct Block {
    Index first;
    std::vector<model::InputBatch> inputs;
    RowsPtr activations;
    MatrixF outputs;
  };

  OpenedSet& set() const { return bases_.sets[number_]; }
  const model::Layer& layer() const { return session_.layers[layer_].what; }
  Index logits() const { return session_.facts.logit_count; }
  Index columns() const { return logits() + std::ssize(bases_.targets); }

  // Logits, and behind them what each class asks for.
  MatrixF outputs(const Block& block, const MatrixF& steps) const {
    const MatrixF all = session_.networks->first()
                            .logits_moved(session_.positions[layer_], *block.activations, steps, block.inputs)
                            ->host();
    MatrixF wide(all.rows(), columns());
    wide.leftCols(logits()) = all;
    for (std::size_t k = 0; k < bases_.targets.size(); ++k) {
      auto column = wide.col(logits() + static_cast<Index>(k));
      if (bases_.targets[k].per_input() && number_ != k)
        column.setZero();
      else
        column = bases_.targets[k].values(all, block.first);
    }
    return wide;
  }

  MatrixF run(const Eigen::VectorXf& direction) {
    if (blocks_.empty()) read();
    Sums sums(columns());
    for (const Block& block : blocks_) {
      const MatrixF steps = Spread(*block.activations, layer(), session_.pool,
                                   session_.networks->first().token_mask(block.inputs))
                                .steps(direction);
      for (std::size_t t = 0; t < kDoses.size(); ++t) {
        const auto at_dose = [&](double dose) {
          return outputs(block, (dose * steps.cast<double>()).cast<float>());
        };
        sums.add(static_cast<Index>(t), at_dose(kDoses[t]), at_dose(-kDoses[t]), block.outputs);
      }
    }
    return sums.result(inputs_).cast<float>();
  }

  // At the first direction that is not in the cache.
  void read() {
    Index first = 0;
    for (const Index count : sizes_) {
      const bool last = first + count >= inputs_;
      set().inputs.expect(last ? set().rows() : first + count);
      Block block{first, read_rows(set(), first, count), {}, {}};
      block.activations =
          session_.networks->first()
              .activations(std::array{session_.positions[layer_]}, block.inputs, model::Pool::kNone)
              .front();
      block.outputs = outputs(block, MatrixF::Zero(1, block.activations->columns()));
      blocks_.push_back(std::move(block));
      first += count;
    }
  }

  Session& session_;
  const InterventionBases& bases_;
  std::size_t number_;
  std::size_t layer_;
  Index inputs_ = 0;
  std::vector<Index> sizes_;  // of the blocks; a given source may have larger ones than asked for
  std::vector<Block> blocks_;
};

Intervention intervention_on(const std::vector<Moved>& moved, std::size_t of_class, const ClassTarget& target,
                             bool has_random, double level) {
  const Index logits = moved.front().classes;
  const Index column = target.is_plain() ? target.logits.front() : logits + static_cast<Index>(of_class);
  Intervention found;
  found.classes = target.is_plain() ? logits : 1;
  found.of_class = dose_response(moved[of_class], column, level);
  if (has_random && !target.per_input()) found.random = dose_response(moved.back(), column, level);
  return found;
}

}  // namespace

Index tried_inputs(const InterventionCost& cost) {
  const auto tails = static_cast<double>(2 * Index{kDoses.size()} * cost.directions);
  double each = 0;
  for (const double depth : cost.depths) each += 1 + tails * (1 - depth);
  each *= static_cast<double>(cost.bases);
  const double run =
      static_cast<double>(cost.examples) + kGradientCost * static_cast<double>(cost.class_inputs);
  const double affordable = each > 0 ? kShareOfRun * run / each : kMostTried;
  return std::clamp(static_cast<Index>(affordable), kLeastTried, kMostTried);
}

std::vector<SpeaksFor> intervene(Session& session, const InterventionBases& bases, std::size_t number,
                                 const AnalysedLayer& layer, double level) {
  const MatrixF steps = layer.steps();
  std::vector<std::vector<Moved>> moved(static_cast<std::size_t>(steps.rows()));  // by test and base
  for (std::size_t b = 0; b < bases.sets.size(); ++b) {
    Base base(session, bases, b, number);
    for (Index test = 0; test < steps.rows(); ++test)
      moved[test].push_back(base.move(steps.row(test).transpose()));
  }
  const std::size_t classes = bases.targets.size();
  const bool has_random = bases.sets.size() > classes;
  for (std::size_t i = 0; i < layer.results.size(); ++i) {
    Result& result = layer.results[i];
    const std::size_t of_class = i / moved.size();
    Intervention found =
        intervention_on(moved[i % moved.size()], of_class, bases.targets[of_class], has_random, level);
    found.ratio = found.of_class.odd.front() / kDoses.front() / result.effect.logits;
    result.intervention = std::move(found);
    for (std::string& warning : intervention_warnings(result)) result.warnings.push_back(std::move(warning));
  }
  std::vector<SpeaksFor> speaking;
  for (std::size_t test = 0; has_random && test < moved.size(); ++test) {
    SpeaksFor found = speaks_for(moved[test].back(), bases.labels);
    found.concept_name = layer.results[test].concept_name;
    found.layer = layer.data.names.layer;
    speaking.push_back(std::move(found));
  }
  return speaking;
}

}  // namespace atcav
