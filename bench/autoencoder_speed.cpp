#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "atcav/random.h"
#include "core/parallel.h"
#include "plugins/torch/pass/torch_trainer.h"

// How long a sparse autoencoder takes on a device, from rows in memory to features.
//   autoencoder_speed [device [rows [columns [features]]]]   default: cuda 1000000 1024 1000; "host": atcav's
//   own
// Rows are sums of four of 2,000 directions and noise, so that there is something to find: the share of these
// directions that a feature has (cosine above 0.9) is printed.
namespace {

using namespace atcav;

MatrixF directions(Index count, Index columns) {
  return Stream(1).normal_matrix(count, columns).rowwise().normalized().cast<float>();
}

MatrixF planted_rows(Index count, const MatrixF& features) {
  MatrixF rows(count, features.cols());
  const Eigen::RowVectorXf noise = Stream(2).normal_matrix(1, 4 * features.cols()).cast<float>();
  parallel_for(count, 0, [&](Index row) {
    Stream stream(3, {static_cast<std::uint64_t>(row)});
    rows.row(row) = 0.02F * noise.segment(stream.below(3 * features.cols()), features.cols());
    for (int i = 0; i < 4; ++i)
      rows.row(row) +=
          static_cast<float>(0.5 + stream.uniform()) * features.row(stream.below(features.rows()));
  });
  return rows;
}

}  // namespace

int main(int count, char** words) {
  const std::string device = count > 1 ? words[1] : "cuda";
  const Index rows = count > 2 ? std::atoll(words[2]) : 1'000'000;
  const Index columns = count > 3 ? std::atoll(words[3]) : 1024;
  const Index features = count > 4 ? std::atoll(words[4]) : 1000;
  const MatrixF planted = directions(2 * features, columns);
  const MatrixF all = planted_rows(rows, planted);
  stats::StartTrainer there;
  if (device != "host") {
    there = [&](const MatrixFRef& given, const stats::SparseAutoencoder& start) {
      return plugin::start_torch_trainer(given, start, at::Device(device));
    };
  }
  for (const char* which : {"first", "again"}) {
    const auto began = std::chrono::steady_clock::now();
    const auto found = stats::train_autoencoder(all, {.features = features, .seed = 1}, there);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const MatrixF cosines = planted * found.decoder.transpose();
    fmt::print("{} {} rows of {} columns, {} features, {}: {:.1f} s, {} of {} features are planted ones\n",
               device, rows, columns, features, which, took.count(),
               (cosines.colwise().maxCoeff().array() > 0.9F).count(), features);
  }
}
