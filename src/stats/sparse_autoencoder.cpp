#include "stats/sparse_autoencoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "atcav/random.h"
#include "core/block_product.h"
#include "core/check.h"
#include "core/parallel.h"
#include "stats/kmeans.h"

namespace atcav::stats {
namespace {

constexpr Index kRowsOfASum = 4096;
constexpr Index kLeastSteps = 1000;
constexpr Index kPasses = 4;
constexpr Index kStepsBetweenRestarts = 100;
constexpr double kRarely = 1e-3;  // of the mean feature's uses
constexpr double kRate = 0.04;    // over √columns: a step as long as a fixed part of a feature

// Columns that a product has for as many features.
Index padded(Index features) {
  return (features + kBlockStep<float> - 1) / kBlockStep<float> * kBlockStep<float>;
}

// b and s.
std::pair<Vector, double> centre_and_scale(const MatrixFRef& rows, int threads) {
  const Index pieces = (rows.rows() + kRowsOfASum - 1) / kRowsOfASum;
  Matrix sums(pieces, rows.cols());
  Vector squares(pieces);
  const auto piece = [&](Index i) {
    return rows.middleRows(i * kRowsOfASum, std::min(kRowsOfASum, rows.rows() - i * kRowsOfASum));
  };
  parallel_for(pieces, threads, [&](Index i) { sums.row(i) = piece(i).cast<double>().colwise().sum(); });
  const auto count = static_cast<double>(rows.rows());
  const Eigen::RowVectorXd centre = sums.colwise().sum() / count;
  parallel_for(pieces, threads,
               [&](Index i) { squares(i) = (piece(i).cast<double>().rowwise() - centre).squaredNorm(); });
  const double scale = std::sqrt(squares.sum() / count);
  return {centre.transpose(), scale > 0 ? scale : 1.0};
}

SparseAutoencoder first_features(const MatrixFRef& rows, const AutoencoderOptions& options, Stream& stream) {
  const auto [centre, scale] = centre_and_scale(rows, options.threads);
  std::vector<Index> some = stream.permutation(rows.rows());
  some.resize(static_cast<std::size_t>(std::min(rows.rows(), std::max<Index>(2048, 4 * options.features))));
  const KMeans spread = kmeans(MatrixF(rows(some, Eigen::all)), {.clusters = options.features,
                                                                 .starts = 1,
                                                                 .iterations = 0,
                                                                 .seed = options.seed,
                                                                 .key = options.key,
                                                                 .threads = options.threads});
  SparseAutoencoder start;
  start.decoder = (spread.centres.rowwise() - centre.transpose()).cast<float>();
  for (auto feature : start.decoder.rowwise()) feature.normalize();  // 0 stays 0
  start.encoder = start.decoder;
  start.centre = centre.cast<float>();
  start.scale = static_cast<float>(scale);
  start.active = std::min(active_features(options.features), start.decoder.rows());
  return start;
}

// Rows in random order, all of them before one comes again.
class Batches {
 public:
  Batches(Index rows, Stream& stream) : rows_(rows), stream_(stream) {}
  std::vector<Index> next() {
    while (std::ssize(left_) < std::min(kAutoencoderBatch, rows_)) {
      std::vector<Index> more = stream_.permutation(rows_);
      more.insert(more.end(), left_.begin(), left_.end());
      left_ = std::move(more);
    }
    const auto from = left_.end() - std::min(kAutoencoderBatch, rows_);
    std::vector<Index> batch(from, left_.end());
    left_.erase(from, left_.end());
    return batch;
  }

 private:
  Index rows_;
  Stream& stream_;
  std::vector<Index> left_;
};

std::vector<Index> rarely_used(const std::vector<Index>& uses) {
  double total = 0;
  for (const Index one : uses) total += static_cast<double>(one);
  const double least = kRarely * total / static_cast<double>(uses.size());
  std::vector<Index> rare;
  for (Index k = 0; k < std::ssize(uses); ++k)
    if (static_cast<double>(uses[k]) <= least) rare.push_back(k);
  return rare;
}

// A row's codes are few, so each row and each feature is a task of its own: sums have one order whatever the
// number of threads.
class CpuTrainer : public AutoencoderTrainer {
 public:
  CpuTrainer(const MatrixFRef& rows, SparseAutoencoder start, int threads)
      : rows_(rows), found_(std::move(start)), threads_(threads) {
    const Index features = found_.decoder.rows();
    turned_ = MatrixF::Zero(rows.cols(), padded(features));
    uses_.assign(static_cast<std::size_t>(features), 0);
    for (Moments* one : {&of_encoder_, &of_decoder_})
      *one = {MatrixF::Zero(features, rows.cols()), MatrixF::Zero(features, rows.cols())};
  }

  void step(std::span<const Index> rows, float rate) override {
    const auto count = static_cast<Index>(rows.size());
    read(rows);
    encode(count);
    std::vector<std::vector<Use>> users(uses_.size());
    for (Index row = 0; row < count; ++row)
      for (const Code& one : codes_[row])
        if (one.value > 0) users[one.feature].push_back({row, one.value, one.slope});
    momentum_left_ *= kMomentum;
    squares_left_ *= kSquares;
    parallel_for(std::ssize(users), threads_, [&](Index k) {
      uses_[k] += std::ssize(users[k]);
      move(k, users[k], rate, 2 / static_cast<float>(count));
    });
  }

  std::vector<Index> take_uses() override {
    return std::exchange(uses_, std::vector<Index>(uses_.size(), 0));
  }

  void restart(std::span<const Index> features) override {
    const Eigen::VectorXf left = errors_.rowwise().squaredNorm();
    std::vector<Index> order(static_cast<std::size_t>(left.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, [&](Index a, Index b) { return left(a) > left(b); });
    for (std::size_t i = 0; i < std::min(features.size(), order.size()); ++i) {
      if (!(left(order[i]) > 0)) return;
      const Index k = features[i];
      found_.decoder.row(k) = -errors_.row(order[i]).normalized();
      found_.encoder.row(k) = found_.decoder.row(k);
      for (Moments* one : {&of_encoder_, &of_decoder_}) {
        one->mean.row(k).setZero();
        one->square.row(k).setZero();
      }
    }
  }

  SparseAutoencoder finish() override { return std::move(found_); }

 private:
  struct Code {
    Index feature = 0;
    float value = 0;
    float slope = 0;  // (ŷ - y)·feature
  };
  struct Use {
    Index row = 0;
    float value = 0;
    float slope = 0;
  };
  struct Moments {
    MatrixF mean;
    MatrixF square;
  };

  void read(std::span<const Index> rows) {
    batch_.resize(static_cast<Index>(rows.size()), rows_.cols());
    parallel_for(batch_.rows(), threads_, [&](Index i) {
      batch_.row(i) = (rows_.row(rows[i]) - found_.centre.transpose()) / found_.scale;
    });
    const Index features = found_.encoder.rows();
    parallel_for(features, threads_, [&](Index k) { turned_.col(k) = found_.encoder.row(k).transpose(); });
  }

  void encode(Index count) {
    values_.resize(count, turned_.cols());
    multiply_block(batch_, turned_, values_, threads_);
    errors_.resize(count, batch_.cols());
    codes_.resize(static_cast<std::size_t>(count));
    parallel_for(count, threads_, [&](Index row) {
      std::vector<Code>& own = codes_[row];
      own.clear();
      for (Index k = 0; k < found_.encoder.rows(); ++k)
        if (values_(row, k) > 0) own.push_back({k, values_(row, k), 0});
      const auto larger = [](const Code& a, const Code& b) {
        return a.value != b.value ? a.value > b.value : a.feature < b.feature;
      };
      if (std::ssize(own) > found_.active) {
        std::nth_element(own.begin(), own.begin() + found_.active, own.end(), larger);
        own.resize(static_cast<std::size_t>(found_.active));
      }
      std::ranges::sort(own, {}, &Code::feature);
      errors_.row(row) = -batch_.row(row);
      for (const Code& one : own) errors_.row(row) += one.value * found_.decoder.row(one.feature);
      for (Code& one : own) one.slope = errors_.row(row).dot(found_.decoder.row(one.feature));
    });
  }

  void move(Index k, const std::vector<Use>& users, float rate, float share) {
    Eigen::RowVectorXf down = Eigen::RowVectorXf::Zero(batch_.cols());
    Eigen::RowVectorXf up = down;
    for (const Use& one : users) {
      down += one.value * errors_.row(one.row);
      up += one.slope * batch_.row(one.row);
    }
    down -= down.dot(found_.decoder.row(k)) * found_.decoder.row(k);
    adam(found_.decoder, of_decoder_, k, share * down, rate);
    adam(found_.encoder, of_encoder_, k, share * up, rate);
    found_.decoder.row(k).normalize();
  }

  void adam(MatrixF& weights, Moments& moments, Index k, const Eigen::RowVectorXf& slope, float rate) {
    moments.mean.row(k) += (1 - kMomentum) * (slope - moments.mean.row(k));
    moments.square.row(k) += (1 - kSquares) * (slope.cwiseAbs2() - moments.square.row(k));
    weights.row(k).array() -= rate / (1 - momentum_left_) * moments.mean.row(k).array() /
                              ((moments.square.row(k).array() / (1 - squares_left_)).sqrt() + kEpsilon);
  }

  MatrixFRef rows_;
  SparseAutoencoder found_;
  int threads_;
  float momentum_left_ = 1;
  float squares_left_ = 1;
  Moments of_encoder_, of_decoder_;
  std::vector<Index> uses_;
  MatrixF batch_;   // y of the last step's rows
  MatrixF turned_;  // the encoder, columns × features
  MatrixF values_;
  MatrixF errors_;  // ŷ - y
  std::vector<std::vector<Code>> codes_;
};

}  // namespace

Index active_features(Index features) { return std::clamp<Index>(features / 8, 2, 32); }

std::shared_ptr<AutoencoderTrainer> start_cpu_trainer(const MatrixFRef& rows, const SparseAutoencoder& start,
                                                      int threads) {
  return std::make_shared<CpuTrainer>(rows, start, threads);
}

SparseAutoencoder train_autoencoder(const MatrixFRef& rows, const AutoencoderOptions& options,
                                    const StartTrainer& elsewhere) {
  check_at_least("train_autoencoder", "number of rows", rows.rows(), 1);
  check_at_least("train_autoencoder", "number of features", options.features, 1);
  Stream stream(options.seed, {kTaskAutoencoder, options.key});
  const SparseAutoencoder start = first_features(rows, options, stream);
  std::shared_ptr<AutoencoderTrainer> trainer = elsewhere ? elsewhere(rows, start) : nullptr;
  if (!trainer) trainer = start_cpu_trainer(rows, start, options.threads);
  const Index steps = std::max(kLeastSteps, kPasses * rows.rows() / kAutoencoderBatch);
  const double rate = kRate / std::sqrt(static_cast<double>(rows.cols()));
  Batches batches(rows.rows(), stream);
  for (Index step = 0; step < steps; ++step) {
    throw_if_stopped();
    const double left = 1 - static_cast<double>(step) / static_cast<double>(steps);
    trainer->step(batches.next(), static_cast<float>(rate * std::min(1.0, 2 * left)));
    if ((step + 1) % kStepsBetweenRestarts == 0 && 3 * step < 2 * steps)
      trainer->restart(rarely_used(trainer->take_uses()));
  }
  return trainer->finish();
}

std::vector<Index> strongest_features(const MatrixFRef& rows, const SparseAutoencoder& autoencoder,
                                      int threads) {
  check_same("strongest_features", "columns", "the rows", rows.cols(), "the autoencoder",
             autoencoder.encoder.cols());
  const Index features = autoencoder.encoder.rows();
  MatrixF turned = MatrixF::Zero(autoencoder.encoder.cols(), padded(features));
  turned.leftCols(features) = autoencoder.encoder.transpose();
  std::vector<Index> strongest(static_cast<std::size_t>(rows.rows()));
  MatrixF values;
  for (Index first = 0; first < rows.rows(); first += kRowsOfASum) {
    const Index count = std::min(kRowsOfASum, rows.rows() - first);
    const MatrixF some = rows.middleRows(first, count).rowwise() - autoencoder.centre.transpose();
    values.resize(count, turned.cols());
    multiply_block(some, turned, values, threads);
    for (Index i = 0; i < count; ++i) {
      Index best = 0;
      strongest[first + i] = values.row(i).head(features).maxCoeff(&best) > 0 ? best : -1;
    }
  }
  return strongest;
}

}  // namespace atcav::stats
