// Images per second of a network, forward to a layer and with gradients there:
//   model_speed MODEL.onnx LAYER [--device cpu|cuda] [--precision fp32|tf32|bf16] [--batch 16] [--rounds 5]
//               [--pool none|mean] [--target 0] [--threads 0] [--size 224] [--out FOLDER] [--peak]
// Prints one line of JSON. The input is the same for every program that is compared: frac(i · 0.618034),
// i = 0, 1, 2, … in float64. With --out the results of the first batch are written there as .npy, so that
// the answers can be compared before the times are. bench/model_speed.py runs this beside Python's PyTorch.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>

#include "atcav/io/npy.h"
#include "atcav/model/model.h"
#include "plugins/torch/libtorch.h"

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

// The fastest of a few convolutions that suit the machine: what a network could reach at best.
double peak_gflops(const at::Device& device, at::ScalarType type, int batch) {
  double best = 0;
  const at::NoGradGuard no_grad;
  for (const int channels : {64, 128, 256, 512}) {
    const int side = 56 * 64 / channels;
    const auto options = at::TensorOptions().dtype(at::kFloat);
    const auto ready = [&](const at::Tensor& x) {
      return x.to(device, type).contiguous(at::MemoryFormat::ChannelsLast);
    };
    const at::Tensor x = ready(at::ones({batch, channels, side, side}, options));
    const at::Tensor w = ready(at::ones({channels, channels, 3, 3}, options));
    constexpr int kRepeats = 10;
    const double seconds = median_seconds(3, [&] {
      at::Tensor y;
      for (int i = 0; i < kRepeats; ++i) y = at::conv2d(x, w, {}, 1, 1);
      y.flatten()[0].item<float>();
    });
    const double flops = 2.0 * batch * channels * channels * 9 * side * side * kRepeats;
    best = std::max(best, flops / seconds / 1e9);
  }
  return best;
}

std::string option(const std::map<std::string, std::string>& given, const std::string& name,
                   const std::string& otherwise) {
  const auto found = given.find(name);
  return found == given.end() ? otherwise : found->second;
}

}  // namespace

int main(int count, char** arguments) {
  using atcav::Index;
  namespace nn = atcav::plugin;
  std::map<std::string, std::string> given;
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--peak") {
      given[argument] = "yes";
    } else if (argument.starts_with("--") && i + 1 < count) {
      given[argument] = arguments[++i];
    } else {
      names.push_back(argument);
    }
  }
  if (names.size() != 2) {
    fmt::print(stderr, "usage: model_speed MODEL.onnx LAYER [options], see the top of model_speed.cpp\n");
    return 2;
  }
  const std::string precision = option(given, "--precision", "fp32");
  const Index batch = std::stol(option(given, "--batch", "16"));
  const Index size = std::stol(option(given, "--size", "224"));
  const int rounds = std::stoi(option(given, "--rounds", "5"));
  const nn::Pool pool = option(given, "--pool", "none") == "mean" ? nn::Pool::mean : nn::Pool::none;
  nn::LoadOptions options;
  options.device = option(given, "--device", "cpu");
  options.threads = std::stoi(option(given, "--threads", "0"));
  options.batch = batch;
  if (precision == "tf32") options.precision = nn::Precision::tf32;
  if (precision == "bf16") options.precision = nn::Precision::bf16;
  const auto start = Clock::now();
  const nn::Model model = nn::Model::load(names[0], options);
  const double load = seconds_since(start);
  const std::array layer = {model.find_layer(names[1])};

  nn::InputBatch input{{batch, 3, size, size}, {}, {}};
  for (Index i = 0; i < batch * 3 * size * size; ++i) {
    const double turns = static_cast<double>(i) * 0.618034;
    input.reals.push_back(static_cast<float>(turns - std::floor(turns)));
  }
  const std::vector<Index> target = {std::stol(option(given, "--target", "0"))};
  const std::vector<nn::InputBatch> inputs = {input};
  if (const std::string folder = option(given, "--out", ""); !folder.empty()) {
    atcav::io::write_npy(folder + "/activations.npy", model.forward_to(layer, inputs, pool)[0]);
    atcav::io::write_npy(folder + "/gradients.npy", model.gradients(layer, inputs, target, pool)[0]);
  }
  const double forward = median_seconds(rounds, [&] { model.forward_to(layer, inputs, pool); });
  const double gradient = median_seconds(rounds, [&] { model.gradients(layer, inputs, target, pool); });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double peak = given.contains("--peak") ? peak_gflops(at::Device(options.device),
                                                             precision == "bf16" ? at::kBFloat16 : at::kFloat,
                                                             static_cast<int>(batch))
                                               : 0;
  const auto rate = [&](double seconds) { return static_cast<double>(batch) / seconds; };
  fmt::print(
      "{{\"forward\": {:.4g}, \"gradient\": {:.4g}, \"load_s\": {:.3g}, \"peak_memory_mb\": {:.0f}, "
      "\"convolution_peak_gflops\": {:.4g}, \"threads\": {}}}\n",
      rate(forward), rate(gradient), load, static_cast<double>(usage.ru_maxrss) / 1024, peak,
      at::get_num_threads());
  return 0;
}
