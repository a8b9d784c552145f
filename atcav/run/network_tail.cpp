#include "atcav/run/network_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "atcav/io/sha256.h"

namespace atcav {
namespace {

constexpr double kShareOfRun = 0.25;
constexpr double kGradientCost = 3;  // forward and backward, in forwards

// A direction of channels as one of all elements: the same at every position.
Vector spread_over_positions(const Vector& direction, const model::Layer& layer) {
  if (direction.size() == layer.size) return direction;
  const Index channels = direction.size();
  const Index positions = layer.size / channels;
  const bool channels_first = layer.shape.size() > 2 || layer.shape.front() != positions;
  Vector whole(layer.size);
  for (Index c = 0; c < channels; ++c) {
    for (Index p = 0; p < positions; ++p)
      whole(channels_first ? c * positions + p : p * channels + c) = direction(c);
  }
  return whole;
}

// Sums over inputs of the odd part, its square and the even part, by dose.
class Sums {
 public:
  explicit Sums(Index logits) : odd_(zeros(logits)), squares_(zeros(logits)), even_(zeros(logits)) {}

  void add(Index dose, const MatrixF& up, const MatrixF& down, const MatrixF& base) {
    const Matrix odd = (up.cast<double>() - down.cast<double>()) / 2;
    const Matrix even = (up.cast<double>() + down.cast<double>()) / 2 - base.cast<double>();
    odd_.row(dose) += odd.colwise().sum();
    squares_.row(dose) += odd.cwiseAbs2().colwise().sum();
    even_.row(dose) += even.colwise().sum();
  }

  // odd, its error and even below each other: 3·doses × logits.
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
  static Matrix zeros(Index logits) { return Matrix::Zero(static_cast<Index>(kDoses.size()), logits); }
  Matrix odd_;
  Matrix squares_;
  Matrix even_;
};

class NetworkTail : public Tail {
 public:
  NetworkTail(TailBases bases, std::size_t layer) : bases_(std::move(bases)), layer_(layer) {}

  std::vector<std::vector<Moved>> move(const MatrixF& directions) override {
    std::vector<std::vector<Moved>> found(static_cast<std::size_t>(directions.rows()));
    for (OpenedSet& set : *bases_.sets) {
      Base base{&set, 0, {}, {}};
      while (base.inputs < std::min(bases_.inputs, set.rows())) {
        const Index wanted = std::min(bases_.inputs, set.rows()) - base.inputs;
        base.sizes.push_back(set.inputs.block(base.inputs, std::min(probe().batch(), wanted)));
        base.inputs += base.sizes.back();
      }
      for (Index i = 0; i < directions.rows(); ++i)
        found[static_cast<std::size_t>(i)].push_back(moved(base, directions.row(i).transpose()));
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
    std::vector<model::InputBatch> inputs;
    RowsPtr activations;
    MatrixF logits;
  };
  struct Base {
    OpenedSet* set;
    Index inputs;
    std::vector<Index> sizes;   // of the blocks; a given source may have larger ones than asked for
    std::vector<Block> blocks;  // read at the first direction that is not in the cache
  };

  Probe& probe() const { return *bases_.probe; }
  const model::Layer& layer() const { return probe().layer(layer_); }

  Moved moved(Base& base, const Eigen::VectorXf& direction) const {
    const Index doses = static_cast<Index>(kDoses.size());
    const Index logits = probe().facts().logit_count;
    const auto hashes = std::span(base.set->hashes).first(static_cast<std::size_t>(base.inputs));
    const std::string_view bytes(reinterpret_cast<const char*>(direction.data()),
                                 sizeof(float) * static_cast<std::size_t>(direction.size()));
    const std::string what = fmt::format("intervention at {}, doses {}\ndirection {}\n{}", layer().name,
                                         fmt::join(kDoses, " "), io::sha256(bytes), fmt::join(hashes, "\n"));
    const Matrix all =
        probe().kept(what, 3 * doses, logits, [&] { return run(base, direction); }).cast<double>();
    return {base.inputs, all.topRows(doses), all.middleRows(doses, doses), all.bottomRows(doses)};
  }

  MatrixF run(Base& base, const Eigen::VectorXf& direction) const {
    if (base.blocks.empty()) read(base);
    const Vector step = spread_over_positions(direction.cast<double>(), layer());
    Sums sums(probe().facts().logit_count);
    for (const Block& block : base.blocks) {
      for (std::size_t t = 0; t < kDoses.size(); ++t) {
        const Eigen::VectorXf move = (kDoses[t] * step).cast<float>();
        const auto logits = [&](const Eigen::VectorXf& by) {
          return probe().logits_moved(layer_, *block.activations, by, block.inputs);
        };
        sums.add(static_cast<Index>(t), logits(move), logits(-move), block.logits);
      }
    }
    return sums.result(base.inputs).cast<float>();
  }

  void read(Base& base) const {
    Index first = 0;
    for (const Index count : base.sizes) {
      Block block;
      block.inputs = probe().read(*base.set, first, count);
      block.activations = probe().whole_activations(layer_, block.inputs);
      block.logits =
          probe().logits_moved(layer_, *block.activations, Eigen::VectorXf::Zero(layer().size), block.inputs);
      base.blocks.push_back(std::move(block));
      first += count;
    }
  }

  TailBases bases_;
  std::size_t layer_;
};

}  // namespace

Index tried_inputs(const TailCost& cost) {
  double tails = 0;
  for (const double depth : cost.depths) tails += 1 - depth;
  tails *= static_cast<double>(2 * Index{kDoses.size()} * cost.directions * cost.bases);
  const double run =
      static_cast<double>(cost.examples) + kGradientCost * static_cast<double>(cost.class_inputs);
  const double affordable = tails > 0 ? kShareOfRun * run / tails : kMostTried;
  return std::clamp(static_cast<Index>(affordable), kLeastTried, kMostTried);
}

std::shared_ptr<Tail> make_network_tail(const TailBases& bases, std::size_t layer) {
  return std::make_shared<NetworkTail>(bases, layer);
}

}  // namespace atcav
