// Images per second of a network, forward to a layer and with gradients there:
//   model_speed MODEL.onnx LAYER [--device cpu|cuda] [--precision fp32|tf32|bf16] [--batch 16] [--rounds 5]
//               [--pool none|mean] [--target 0] [--threads 0] [--size 224] [--out FOLDER]
// Prints one line of JSON. The input is the same for every program that is compared: frac(i · 0.618034),
// i = 0, 1, 2, … in float64. With --out the results of the first batch are written there as .npy, so that
// the answers can be compared before the times are. bench/model_speed.py runs this beside Python's PyTorch.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>

#include "atcav/model.h"
#include "data/array/npy.h"
#include "model/find_layer.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Median over the rounds, after one that does not count.
template <typename Body>
double median_seconds(int rounds, Body body) {
  body();
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    body();
    times.push_back(seconds_since(start));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  using atcav::Index;
  namespace model = atcav::model;
  std::map<std::string, std::string> given = {{"--device", "cpu"}, {"--precision", "fp32"}, {"--batch", "16"},
                                              {"--rounds", "5"},   {"--pool", "none"},      {"--target", "0"},
                                              {"--threads", "0"},  {"--size", "224"},       {"--out", ""}};
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    if (given.contains(arguments[i]) && i + 1 < count) {
      given[arguments[i]] = arguments[i + 1];
      ++i;
    } else {
      names.emplace_back(arguments[i]);
    }
  }
  if (names.size() != 2) {
    fmt::print(stderr, "usage: model_speed MODEL.onnx LAYER [options], see the top of model_speed.cpp\n");
    return 2;
  }
  const Index batch = std::stol(given["--batch"]);
  const Index size = std::stol(given["--size"]);
  const int rounds = std::stoi(given["--rounds"]);
  const model::Pool pool = given["--pool"] == "mean" ? model::Pool::kMean : model::Pool::kNone;
  model::OpenOptions options;
  options.device = model::read_devices(given["--device"]).front();
  options.threads = std::stoi(given["--threads"]);
  options.batch = batch;
  if (given["--precision"] == "tf32") options.precision = model::Precision::kTf32;
  if (given["--precision"] == "bf16") options.precision = model::Precision::kBf16;
  const auto start = Clock::now();
  const auto network = model::open_onnx(names[0], options);
  const double load = seconds_since(start);
  const std::array layer = {model::find_layer(network->facts(), names[1]).position};

  model::InputBatch input{{batch, 3, size, size}, {}, {}};
  for (Index i = 0; i < batch * 3 * size * size; ++i) {
    const double turns = static_cast<double>(i) * 0.618034;
    input.reals.push_back(static_cast<float>(turns - std::floor(turns)));
  }
  const std::vector<model::InputBatch> inputs = {input};
  const std::vector<Index> target = {std::stol(given["--target"])};
  const auto forward = [&] { return network->activations(layer, inputs, pool)[0]; };
  const auto gradient = [&] { return network->gradients(layer, inputs, target, pool).layers[0]; };
  if (const std::string folder = given["--out"]; !folder.empty()) {
    const atcav::MatrixF activations = forward()->host();
    const atcav::MatrixF gradients = gradient()->host();
    atcav::data::write_npy(folder + "/activations.npy", activations);
    atcav::data::write_npy(folder + "/gradients.npy", gradients);
  }
  const auto rate = [&](const auto& body) {
    return static_cast<double>(batch) / median_seconds(rounds, [&] { body()->host(); });
  };
  const double forward_rate = rate(forward);
  const double gradient_rate = rate(gradient);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"forward\": {:.4g}, \"gradient\": {:.4g}, \"load_s\": {:.3g}, \"peak_memory_mb\": {:.0f}}}\n",
      forward_rate, gradient_rate, load, static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}
