// The pass on a device alone, against the products of its library:
//   device_pass_speed cuda|cpu [rows] [columns] [gradients]
// First the answer is compared with the host's pass on a small problem, then times are printed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>

#include "atcav/random.h"
#include "pass/pass_builder.h"
#include "plugins/torch/pass/rows.h"
#include "plugins/torch/pass/torch_backend.h"

namespace {

using atcav::Index;
using atcav::MatrixF;

double seconds_of(const std::function<void()>& body) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void wait_for(const at::Tensor& value) { value.flatten()[0].item(); }

// On the device where the rows lie, even if that is the CPU.
std::shared_ptr<atcav::pass::PassBackend> start(const atcav::pass::BackendOptions& options,
                                                const atcav::Rows& first) {
  return atcav::plugin::start_torch_backend(first.as<atcav::plugin::Tensors>()->front(), options);
}

bool proved(const at::Device& device) {
  const MatrixF gradients = atcav::Stream(1).normal_matrix(9, 30011).cast<float>();
  const MatrixF rows = (atcav::Stream(2).normal_matrix(90, 30011).array() + 3).cast<float>();
  const auto pass = [&](const atcav::Rows& given, double exact_below) {
    atcav::pass::PassBuilder builder(gradients, {{"rows", 90, nullptr}},
                                     {.gram = true, .exact_below = exact_below}, start);
    builder.add(0, given);
    return builder.finish();
  };
  const atcav::pass::Pass host = pass(atcav::HostRows(rows), 1e15);
  const at::Tensor here = at::from_blob(const_cast<float*>(rows.data()), {90, 30011});
  const atcav::pass::Pass found = pass(atcav::plugin::TorchRows({here.to(device)}), 0);
  const auto error = [](const atcav::Matrix& a, const atcav::Matrix& b) {
    return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
  };
  const double projections = error(found.sets[0].projections.values, host.sets[0].projections.values);
  const double gram = error(*found.gram, *host.gram);
  fmt::print("against the host in double, of the largest: projections {:.1e}, K {:.1e} (at most 1e-6)\n",
             projections, gram);
  return projections < 1e-6 && gram < 1e-6;
}

}  // namespace

int main(int count, char** arguments) {
  const at::Device device(count > 1 ? arguments[1] : "cuda");
  const auto size = [&](int i, Index otherwise) { return count > i ? std::stol(arguments[i]) : otherwise; };
  const Index n = size(2, 4500);
  const Index d = size(3, 200704);
  const Index m = size(4, 500);
  at::globalContext().setAllowTF32CuBLAS(false);
  if (!proved(device)) return 1;
  const MatrixF gradients = MatrixF::Random(m, d);
  constexpr Index kBatch = 256;
  const at::Tensor batch = at::randn({kBatch, d}, device);
  const atcav::plugin::TorchRows rows({batch});
  std::vector<Index> scored(200);
  std::iota(scored.begin(), scored.end(), Index{0});
  const auto pass =
      start({.gradients = gradients, .sets = {{"rows", n}}, .scored = {scored}, .gram = true}, rows);
  double adding = 1e9;
  for (Index done = 0; done + kBatch <= n; done += kBatch) {
    const auto begin = std::chrono::steady_clock::now();
    pass->add(0, rows);
    wait_for(at::empty({1}, device));
    adding =
        std::min(adding, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  if (n % kBatch > 0) pass->add(0, atcav::plugin::TorchRows({batch.narrow(0, 0, n % kBatch)}));
  const double flop = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(d);
  const double gram = seconds_of([&] { pass->gram(); });
  const at::Tensor whole = at::randn({n, d}, device);
  const double plain = seconds_of([&] { wait_for(at::mm(whole, whole.t())); });
  const at::Tensor z = at::randn({m, d}, device);
  const double project = seconds_of([&] { wait_for(at::mm(z, batch.t())); });
  fmt::print("{} rows against {} gradients, {} columns: {:.2f} ms, the plain float product {:.2f} ms\n",
             kBatch, m, d, 1e3 * adding, 1e3 * project);
  fmt::print(
      "K of {} x {}: {:.3f} s, {:.1f} TFLOP/s of the whole product, to the host included; plain float "
      "product {:.3f} s, "
      "{:.1f} TFLOP/s: {:.0f} % of it\n",
      n, d, gram, flop / gram / 1e12, plain, flop / plain / 1e12, 100 * plain / gram);
  return 0;
}
