#include "atcav/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/check.h"

namespace atcav {

std::string alpha_text(Alpha alpha) {
  if (alpha.kind == Alpha::Kind::kNumber) return fmt::format("{}", alpha.value);
  return alpha.kind == Alpha::Kind::kStar ? "star" : "dagger";
}

Alpha read_alpha(const std::string& text) {
  if (text == "star") return Alpha::Kind::kStar;
  if (text == "dagger") return Alpha::Kind::kDagger;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || std::isinf(value))
    fail_argument("options", fmt::format("alpha is '{}', must be star, dagger or a number > 0", text));
  return value;
}

Options checked(Options options) {
  const stats::CavMethod method = options.cav.method;
  const bool iterative = method == stats::CavMethod::kLogistic || method == stats::CavMethod::kSvm;
  if (method == stats::CavMethod::kRidge) check_positive("options", "lambda", options.cav.lambda);
  if (iterative) check_positive("options", "cost", options.cav.cost);
  for (const Alpha& alpha : options.alpha) {
    if (alpha.kind == Alpha::Kind::kNumber) check_positive("options", "alpha", alpha.value);
  }
  check_within("options", "runs", options.runs, 2, kMostRuns);
  check_within("options", "bootstrap", options.bootstrap, 0, kMostResamples);
  check_within("options", "permutations", options.permutations, 1, kMostPermutations);
  check_fraction("options", "level", options.level);
  if (options.until) check_positive("options", "until", *options.until);
  if (options.budget) check_at_least("options", "budget", *options.budget, 4);
  check_positive("options", "negligible", options.negligible);
  check_within("options", "threads", options.threads, 0, kMostThreads);
  check_non_negative("options", "memory", options.memory);
  if (options.moments_only && !stats::is_mean_difference(method)) {
    fail_argument("options", fmt::format("moments needs cav pattern or fast, not {}", stats::name(method)));
  }
  if (options.regions && options.moments_only)
    fail_argument("options", "regions cannot be combined with moments: they need every row");
  if (options.pairs && options.moments_only)
    fail_argument("options", "pairs cannot be combined with moments: they need every row's numbers");
  if (options.pairs) options.split = stats::Split::kBoth;
  if (options.bootstrap == 0) options.bootstrap = stats::is_mean_difference(method) ? 1000 : 200;
  return options;
}

}  // namespace atcav
