#include "atcav/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "atcav/effect.h"
#include "atcav/interval.h"
#include "core/check.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

constexpr Index kLeast = 2;
// The pilot's variance is taken to be as small as it is with this probability. Chosen by simulation
// (docs/theory/planning.md).
constexpr double kUnlucky = 0.3;
// Nobody has more rows; it also keeps the counts exact in a double.
constexpr double kMost = 1e15;

void check_pilot(const char* function, const Pilot& pilot) {
  check_non_negative(function, "random_variance", pilot.random_variance);
  check_non_negative(function, "concept_variance", pilot.concept_variance);
  check_non_negative(function, "inputs_variance", pilot.inputs_variance);
}

// Fewest rows with fixed + variance / n ≤ wanted², up to rounding; 0 when there is no such number.
Index rows_for(double variance, double wanted, double fixed) {
  const double whole = wanted * wanted;
  const double room = std::abs(whole - fixed) < 1e-12 * whole ? 0 : whole - fixed;
  if (room < 0 || (room == 0 && variance > 0)) return 0;
  if (variance == 0) return kLeast;
  const double rows = std::ceil(variance / room * (1 - 1e-12));
  if (!(rows <= kMost)) return 0;
  return std::max(kLeast, static_cast<Index>(rows));
}

Plan finish(const Pilot& pilot, double wanted, Index n_random, Index n_concept) {
  Plan plan;
  plan.possible = true;
  plan.n_random = n_random;
  plan.n_concept = n_concept;
  plan.standard_error =
      std::hypot(two_sample_error(pilot.random_variance, n_random, pilot.concept_variance, n_concept),
                 std::sqrt(pilot.inputs_variance));
  plan.reason = fmt::format("{} random and {} concept rows give a standard error of {:.6g}; wanted {:.6g}",
                            n_random, n_concept, plan.standard_error, wanted);
  return plan;
}

// One side given, the other free.
Plan plan_free_side(const char* function, const Pilot& pilot, double wanted, Index given,
                    bool random_is_free) {
  check_pilot(function, pilot);
  check_positive(function, "standard_error", wanted);
  check_at_least(function, random_is_free ? "n_concept" : "n_random", given, kLeast);
  const double fixed =
      (random_is_free ? pilot.concept_variance : pilot.random_variance) / static_cast<double>(given) +
      pilot.inputs_variance;
  const Index rows = rows_for(random_is_free ? pilot.random_variance : pilot.concept_variance, wanted, fixed);
  if (rows > 0)
    return random_is_free ? finish(pilot, wanted, rows, given) : finish(pilot, wanted, given, rows);
  Plan plan;
  (random_is_free ? plan.n_concept : plan.n_random) = given;
  plan.standard_error = std::sqrt(fixed);
  plan.reason = fmt::format(
      "impossible: with {} {} rows the standard error cannot go below {:.6g} however many {} rows there are; "
      "wanted {:.6g}",
      given, random_is_free ? "concept" : "random", plan.standard_error,
      random_is_free ? "random" : "concept", wanted);
  return plan;
}

// By how much the pilot's error may be too small by chance.
double unlucky(double degrees) {
  if (std::isinf(degrees)) return 1;
  return std::sqrt(
      std::min(1.0, boost::math::quantile(boost::math::chi_squared(degrees), kUnlucky) / degrees));
}

}  // namespace

Plan plan_random(const Pilot& pilot, double standard_error, Index n_concept) {
  return plan_free_side("plan_random", pilot, standard_error, n_concept, true);
}

Plan plan_concept(const Pilot& pilot, double standard_error, Index n_random) {
  return plan_free_side("plan_concept", pilot, standard_error, n_random, false);
}

double detecting_error(double effect, double level, double power, double degrees, Index tests) {
  check_positive("detecting_error", "effect", effect);
  check_fraction("detecting_error", "level", level);
  check_fraction("detecting_error", "power", power);
  if (!(degrees > 0)) fail_argument("detecting_error", "degrees of freedom must be > 0");
  check_at_least("detecting_error", "tests", tests, 1);
  const double tail = (1 - level) / 2 / static_cast<double>(tests);
  if (std::isinf(degrees)) return effect / (normal_quantile(1 - tail) + normal_quantile(power));
  return unlucky(degrees) * effect / (t_quantile(1 - tail, degrees) + t_quantile(power, degrees));
}

double deciding_factor(double d, double error, double degrees, double bound, double level_use,
                       double level_bound, double power) {
  check_positive("deciding_factor", "error", error);
  check_positive("deciding_factor", "degrees", degrees);
  check_positive("deciding_factor", "bound", bound);
  const auto upper = [degrees](double tail) { return t_quantile(1 - tail, degrees); };
  const double size = std::abs(d);
  const double find = size / (upper(level_use / 2) + upper(1 - power));
  // Both one-sided tests must hold; near 0 each of them may fail.
  const double room = bound - size;
  const double both = upper(level_bound) + upper(size > error ? 1 - power : (1 - power) / 2);
  const double wanted = unlucky(degrees) * std::max(find, room / both);
  return std::max(1.0, error * error / (wanted * wanted));
}

Plan plan_cheapest(const Pilot& pilot, double standard_error, const Costs& costs) {
  check_pilot("plan_cheapest", pilot);
  check_positive("plan_cheapest", "standard_error", standard_error);
  check_positive("plan_cheapest", "cost of random", costs.random);
  check_positive("plan_cheapest", "cost of concept", costs.of_concept);
  // Lagrange: n_ℓ = (sd_ℓ/√cost_ℓ) Σ_k sd_k √cost_k / se².
  const double weight_random = std::sqrt(pilot.random_variance / costs.random);
  const double weight_concept = std::sqrt(pilot.concept_variance / costs.of_concept);
  Plan best;
  const double room = standard_error * standard_error - pilot.inputs_variance;
  if (room <= 0) {
    best.standard_error = std::sqrt(pilot.inputs_variance);
    best.reason = fmt::format(
        "impossible: the class inputs alone leave a standard error of {:.6g}, whatever the examples; wanted "
        "{:.6g}; more class inputs are needed",
        best.standard_error, standard_error);
    return best;
  }
  const double factor = (weight_random * costs.random + weight_concept * costs.of_concept) / room;
  if (!(std::max(weight_random, weight_concept) * factor < kMost / 2)) {
    best.reason = fmt::format("impossible: a standard error of {:.6g} needs more than {:.0e} rows",
                              standard_error, kMost / 2);
    return best;
  }
  const Index centre = static_cast<Index>(weight_random * factor);
  for (Index n_random = std::max(kLeast, centre - 2); n_random <= std::max(kLeast, centre + 2); ++n_random) {
    const double fixed = pilot.random_variance / static_cast<double>(n_random) + pilot.inputs_variance;
    const Index n_concept = rows_for(pilot.concept_variance, standard_error, fixed);
    if (n_concept == 0) continue;
    const double cost =
        costs.random * static_cast<double>(n_random) + costs.of_concept * static_cast<double>(n_concept);
    if (best.possible && cost >= best.cost) continue;
    best = finish(pilot, standard_error, n_random, n_concept);
    best.cost = cost;
  }
  return best;
}

}  // namespace atcav::stats
