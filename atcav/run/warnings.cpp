#include "atcav/run/warnings.h"

#include <fmt/format.h>

#include <cmath>

namespace atcav {
namespace {

// Below this the 1e-8 in γ is no longer negligible (1 % of it).
constexpr double kTinyGamma = 1e-6;

}  // namespace

std::vector<std::string> sensitivity_warnings(const SensitivityFacts& facts) {
  std::vector<std::string> warnings;
  const auto warn = [&warnings](std::string text) { warnings.push_back(std::move(text)); };

  if (facts.zero_share == 1) {
    warn(facts.zero_gradients == facts.n_class
             ? "every gradient is zero: the logit does not depend on this layer for these inputs"
             : "every sensitivity is zero: the concept's direction is zero or orthogonal to all gradients");
  } else {
    if (facts.zero_gradients > 0) {
      warn(fmt::format("{} of {} inputs have a zero gradient", facts.zero_gradients, facts.n_class));
    }
    if (facts.zero_share > 0) {
      warn(fmt::format("{:.1f} % of the sensitivities are exactly zero: TCAV counts them as not positive",
                       100 * facts.zero_share));
    }
    if (facts.gamma < kTinyGamma) {
      warn(fmt::format(
          "sensitivities are tiny (gamma {:.2g}): the 1e-8 in gamma pulls scores with a fixed alpha to 1/2",
          facts.gamma));
    }
    if (facts.tcav == 0 || facts.tcav == 1) {
      warn(fmt::format("saturated: all {} inputs have {} sensitivity, so TCAV cannot tell how strong it is",
                       facts.n_class, facts.tcav == 1 ? "a positive" : "no positive"));
    }
  }
  if (facts.n_class == 1) warn("one class input: the spread over inputs cannot be estimated");
  return warnings;
}

std::vector<std::string> warnings_of(const Result& result, const Evidence& evidence, const Options& options) {
  std::vector<std::string> warnings = sensitivity_warnings(
      {result.tcav, result.zero_share, result.gamma, result.n_class, evidence.zero_gradients});
  const auto warn = [&warnings](std::string text) { warnings.push_back(std::move(text)); };
  if (std::isinf(result.alpha_dagger)) {
    warn(
        "all sensitivities are equal: alpha star and dagger are infinite, their scores are the sign alone, "
        "which relabelled examples have too (p is 1); read the posterior");
  }
  if (result.multi.runs < options.runs) {
    warn(fmt::format("too few examples for {} runs: Multi-TCAV and alpha star use {}", options.runs,
                     result.multi.runs));
  }
  if (result.n_concept < 10 || result.n_random < 10) {
    warn(fmt::format("few examples ({} concept, {} random): intervals rest on large-sample theory",
                     result.n_concept, result.n_random));
  }
  if (result.accuracy.held_out < kHardlyEncoded) {
    warn(fmt::format("hardly encoded at this layer: held-out accuracy {:.2f}, a coin has 0.50",
                     result.accuracy.held_out));
  }
  if (result.significance.welch_p < 1 - options.level &&
      result.significance.permutation_p >= 1 - options.level) {
    warn(
        fmt::format("the field's t-test (p = {:.2g}) overstates: its runs share the concept's examples; "
                    "the permutation test gives p = {:.2g}",
                    result.significance.welch_p, result.significance.permutation_p));
  }
  return warnings;
}

}  // namespace atcav
