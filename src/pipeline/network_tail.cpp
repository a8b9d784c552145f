#include "pipeline/network_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "data/file/sha256.h"

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

class NetworkTail : public Tail {
 public:
  NetworkTail(TailBases bases, std::size_t layer) : bases_(std::move(bases)), layer_(layer) {}

  std::vector<std::vector<Moved>> move(const MatrixF& directions) override {
    std::vector<std::vector<Moved>> found(static_cast<std::size_t>(directions.rows()));
    for (std::size_t number = 0; number < bases_.sets->size(); ++number) {
      OpenedSet& set = (*bases_.sets)[number];
      Base base{&set, number, 0, {}, {}};
      while (base.inputs < std::min(bases_.inputs, set.rows())) {
        const Index wanted = std::min(bases_.inputs, set.rows()) - base.inputs;
        base.sizes.push_back(set.inputs.block(base.inputs, std::min(probe().batch(), wanted)));
        base.inputs += base.sizes.back();
      }
      for (Index i = 0; i < directions.rows(); ++i)
        found[i].push_back(moved(base, directions.row(i).transpose()));
    }
    return found;
  }

  std::vector<std::string> remarks() const override { return probe().remarks(); }

  std::string class_name(Index logit) const override {
    const auto place = static_cast<std::size_t>(logit);
    return place < bases_.labels.size() ? bases_.labels[place] : "";
  }

 private:
  struct Block {
    Index first;
    std::vector<model::InputBatch> inputs;
    RowsPtr activations;
    MatrixF outputs;
  };
  struct Base {
    OpenedSet* set;
    std::size_t number;  // that of the class, or behind them
    Index inputs;
    std::vector<Index> sizes;   // of the blocks; a given source may have larger ones than asked for
    std::vector<Block> blocks;  // read at the first direction that is not in the cache
  };

  Probe& probe() const { return *bases_.probe; }
  const model::Layer& layer() const { return probe().layer(layer_); }

  Index logits() const { return probe().facts().logit_count; }
  Index columns() const { return logits() + std::ssize(bases_.targets); }

  // Logits, and behind them what each class asks for.
  MatrixF outputs(const Base& base, const Block& block, const MatrixF& steps) const {
    const MatrixF all = probe().logits_moved(layer_, *block.activations, steps, block.inputs);
    MatrixF wide(all.rows(), columns());
    wide.leftCols(logits()) = all;
    for (std::size_t k = 0; k < bases_.targets.size(); ++k) {
      const ClassTarget& target = bases_.targets[k];
      const bool per_input = target.logits.size() != 1;
      for (Index i = 0; i < all.rows(); ++i) {
        const auto row = per_input ? static_cast<std::size_t>(block.first + i) : 0;
        if (per_input && base.number != k) {
          wide(i, logits() + static_cast<Index>(k)) = 0;
          continue;
        }
        const float value = all(i, target.logits[row]) - (target.minus ? all(i, *target.minus) : 0);
        wide(i, logits() + static_cast<Index>(k)) = target.negative ? -value : value;
      }
    }
    return wide;
  }

  std::string targets_text() const {
    std::string text;
    for (const ClassTarget& target : bases_.targets) {
      text += fmt::format("{}", fmt::join(target.logits, ","));
      if (target.minus) text += fmt::format(" minus {}", *target.minus);
      text += target.negative ? " negative\n" : "\n";
    }
    return text;
  }

  Moved moved(Base& base, const Eigen::VectorXf& direction) const {
    const Index doses = std::ssize(kDoses);
    const auto hashes = std::span(base.set->hashes).first(static_cast<std::size_t>(base.inputs));
    const std::string_view bytes(reinterpret_cast<const char*>(direction.data()),
                                 sizeof(float) * static_cast<std::size_t>(direction.size()));
    const std::string what =
        fmt::format("intervention at {}, doses {}\ndirection {}\nblocks {}\nbase {} of targets\n{}{}",
                    layer().name, fmt::join(kDoses, " "), io::sha256(bytes), fmt::join(base.sizes, " "),
                    base.number, targets_text(), fmt::join(hashes, "\n"));
    const Matrix all =
        probe().kept(what, 3 * doses, columns(), [&] { return run(base, direction); }).cast<double>();
    return {base.inputs, logits(), all.topRows(doses), all.middleRows(doses, doses), all.bottomRows(doses)};
  }

  MatrixF run(Base& base, const Eigen::VectorXf& direction) const {
    if (base.blocks.empty()) read(base);
    Sums sums(columns());
    for (const Block& block : base.blocks) {
      const MatrixF steps =
          Spread(*block.activations, layer(), probe().pool(), probe().token_mask(block.inputs))
              .steps(direction);
      for (std::size_t t = 0; t < kDoses.size(); ++t) {
        const auto at_dose = [&](double dose) {
          return outputs(base, block, (dose * steps.cast<double>()).cast<float>());
        };
        sums.add(static_cast<Index>(t), at_dose(kDoses[t]), at_dose(-kDoses[t]), block.outputs);
      }
    }
    return sums.result(base.inputs).cast<float>();
  }

  void read(Base& base) const {
    Index first = 0;
    for (const Index count : base.sizes) {
      const bool last = first + count >= base.inputs;
      base.set->inputs.expect(last ? base.set->rows() : first + count);
      Block block{first, probe().read(*base.set, first, count), {}, {}};
      block.activations = probe().whole_activations(layer_, block.inputs);
      block.outputs = outputs(base, block, MatrixF::Zero(1, block.activations->columns()));
      base.blocks.push_back(std::move(block));
      first += count;
    }
  }

  TailBases bases_;
  std::size_t layer_;
};

}  // namespace

Index tried_inputs(const TailCost& cost) {
  const auto tails = static_cast<double>(2 * Index{kDoses.size()} * cost.directions);
  double each = 0;
  for (const double depth : cost.depths) each += 1 + tails * (1 - depth);
  each *= static_cast<double>(cost.bases);
  const double run =
      static_cast<double>(cost.examples) + kGradientCost * static_cast<double>(cost.class_inputs);
  const double affordable = each > 0 ? kShareOfRun * run / each : kMostTried;
  return std::clamp(static_cast<Index>(affordable), kLeastTried, kMostTried);
}

std::shared_ptr<Tail> make_network_tail(const TailBases& bases, std::size_t layer) {
  return std::make_shared<NetworkTail>(bases, layer);
}

}  // namespace atcav
