#include "pipeline/corrections.h"

#include <cmath>

#include "atcav/interval.h"
#include "atcav/planning.h"
#include "pipeline/warnings.h"

namespace atcav {
namespace {

constexpr double kAlarm = 0.05;

// Some inputs use the concept, and by more than the bound: of those the mean must not say "does not use".
bool divided(const Result& result) {
  const FromExamples& examples = *result.examples;
  const double spread = result.step * std::sqrt(examples.tau_squared);
  return examples.some_inputs.bonferroni < kAlarm && result.effect.unit > 0 &&
         spread > examples.equivalence.bound * result.effect.unit;
}

// From the corrected p-values.
void give_verdict(Result& result, std::size_t tests, const Options& options) {
  const double alpha = 1 - options.level;
  const stats::Effect& effect = result.effect;
  Equivalence& found = result.examples->equivalence;
  if (result.examples->significance.bonferroni < alpha) {
    found.verdict = UseVerdict::kUsed;
  } else if (divided(result)) {
    result.warnings.push_back(divided_warning(result));
  } else if (found.bonferroni < alpha) {
    found.verdict = UseVerdict::kNotBeyond;
  } else if (effect.d && !effect.few_rows && effect.d_error > 0) {
    const double corrected = alpha / static_cast<double>(tests);
    found.factor = stats::deciding_factor(*effect.d, effect.d_error, effect.d_degrees, found.bound, corrected,
                                          corrected);
  }
}

// Corrects the p of each Result, which `part` finds with its two corrections.
template <typename Part, typename P>
void correct(const std::vector<Result*>& tests, Part part, P p_of) {
  std::vector<double> p;
  p.reserve(tests.size());
  for (const Result* test : tests) p.push_back(p_of(*test));
  const std::vector<double> bonferroni = stats::bonferroni(p);
  const std::vector<double> hochberg = stats::benjamini_hochberg(p);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    part(*tests[i]).bonferroni = bonferroni[i];
    part(*tests[i]).benjamini_hochberg = hochberg[i];
  }
}

// In the units of relabelled_use.
void add_simultaneous(Result& result, const fit::LargestT& largest, double critical) {
  stats::Effect& effect = result.effect;
  const double error = std::hypot(effect.error_examples, effect.error_inputs);
  const double t = effect.logits == 0 ? 0 : effect.logits / error;
  result.examples->significance.max_t = largest.p(t);
  if (error == 0) {
    effect.simultaneous = {effect.logits, effect.logits};
  } else if (std::isfinite(critical)) {
    effect.simultaneous = {effect.logits - critical * error, effect.logits + critical * error};
  }
}

}  // namespace

std::string_view name(UseVerdict verdict) {
  switch (verdict) {
    case UseVerdict::kUsed:
      return "used";
    case UseVerdict::kNotBeyond:
      return "not beyond";
    case UseVerdict::kUndecided:
      break;
  }
  return "undecided";
}

void correct_for_multiple_tests(std::vector<Result>& results, const fit::LargestT& largest,
                                const Options& options) {
  std::vector<Result*> tests;
  std::vector<Result*> joint;
  std::vector<Result*> given;
  for (Result& result : results) {
    if (result.given) given.push_back(&result);
    if (result.examples) tests.push_back(&result);
    if (result.joint) joint.push_back(&result);
  }
  correct(
      tests, [](Result & r) -> auto& { return r.examples->significance; },
      [](const Result& r) { return r.examples->significance.use_p; });
  correct(
      tests, [](Result & r) -> auto& { return r.examples->equivalence; },
      [](const Result& r) { return r.examples->equivalence.p; });
  correct(
      tests, [](Result & r) -> auto& { return r.examples->some_inputs; },
      [](const Result& r) { return r.examples->some_inputs.p; });
  correct(
      joint, [](Result & r) -> auto& { return *r.joint; }, [](const Result& r) { return r.joint->effect.p; });
  correct(
      given, [](Result & r) -> auto& { return *r.given; }, [](const Result& r) { return r.effect.p; });
  correct(
      given, [](Result & r) -> auto& { return r.given->baseline; },
      [](const Result& r) { return r.given->baseline.p; });
  const double critical = largest.empty() ? HUGE_VAL : largest.critical(options.level);
  for (Result* test : tests) {
    if (test->examples->significance.max_t) add_simultaneous(*test, largest, critical);
    give_verdict(*test, tests.size(), options);
  }
}

}  // namespace atcav
