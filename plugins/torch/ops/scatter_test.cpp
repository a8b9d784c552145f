#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

at::Tensor list(std::vector<std::int64_t> values) { return at::tensor(values, at::kLong); }

TEST(ScatterOps, GradientsMatchCentralDifferencesForDataAndUpdates) {
  const at::Tensor x = numbers({4, 2});
  const at::Tensor updates = numbers({1, 2}, 1);
  for (const std::size_t which : {0, 2}) {
    EXPECT_LT(gradient_error({"ScatterElements"}, {x, list({2, -1}).reshape({1, 2}), updates}, which), 1e-8);
    EXPECT_LT(gradient_error({"ScatterND"}, {x, list({3}).reshape({1, 1}), updates}, which), 1e-8);
    EXPECT_LT(gradient_error({"ScatterND", {text("reduction", "add")}, 16},
                             {x, list({3}).reshape({1, 1}), updates}, which),
              1e-8);
  }
}

TEST(ScatterOps, ReductionsMeetWhatIsThere) {
  const at::Tensor x = at::full({2}, 3.0);
  const auto reduced = [&](const char* how) {
    return run_op({"ScatterElements", {text("reduction", how)}, 18},
                  {x, list({0, 0}), at::tensor({2.0F, 5.0F})})[0];
  };
  expect_values(reduced("add"), {2}, {10, 3});
  expect_values(reduced("mul"), {2}, {30, 3});
  expect_values(reduced("max"), {2}, {5, 3});
  expect_values(reduced("min"), {2}, {2, 3});
  EXPECT_THROW(reduced("xor"), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
