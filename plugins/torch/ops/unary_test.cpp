#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// Smooth on (−1, 1) after the shift in each case.
TEST(UnaryOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({3, 4});
  for (const char* op : {"Abs", "Asinh", "Atan", "Cos", "Cosh", "Erf", "Exp", "Neg", "Reciprocal", "Sin",
                         "Sinh", "Tan", "Tanh"}) {
    // Reciprocal's third derivative reaches 6/0.02⁴ near 0.
    EXPECT_LT(gradient_error({op}, {std::string(op) == "Reciprocal" ? x + 3 : x}), 1e-7) << op;
  }
  for (const char* op : {"Acos", "Asin", "Atanh"}) EXPECT_LT(gradient_error({op}, {x * 0.7}), 1e-7) << op;
  for (const char* op : {"Log", "Sqrt", "Acosh"}) EXPECT_LT(gradient_error({op}, {x + 3}), 1e-7) << op;
}

TEST(UnaryOps, RoundGoesToTheEvenNumber) {
  expect_values(run_op({"Round"}, {at::tensor({0.5, 1.5, 2.5, -0.5})})[0], {4}, {0, 2, 2, 0});
}

TEST(UnaryOps, IsInfCanLookForOneSignOnly) {
  const double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor x = at::tensor({infinity, -infinity, 1.0});
  expect_values(run_op({"IsInf"}, {x})[0], {3}, {1, 1, 0});
  expect_values(run_op({"IsInf", {integer("detect_negative", 0)}}, {x})[0], {3}, {1, 0, 0});
  expect_values(run_op({"IsInf", {integer("detect_positive", 0)}}, {x})[0], {3}, {0, 1, 0});
}

}  // namespace
}  // namespace atcav::plugin
