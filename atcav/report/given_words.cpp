#include "atcav/report/given_words.h"

#include <fmt/format.h>

namespace atcav::report {

Use use_of(const GivenScore& given) {
  const stats::Interval& interval = given.intervals.at(given.headline).interval;
  if (interval.low > 0.5) return Use::kFor;
  return interval.high < 0.5 ? Use::kAgainst : Use::kNoEvidence;
}

std::string given_sentence(const GivenScore& given, double level, bool layer) {
  const Use use = use_of(given);
  const std::string of_class = class_words(given.class_name);
  std::string text = use == Use::kFor       ? fmt::format("along it the logit of {} rises", of_class)
                     : use == Use::kAgainst ? fmt::format("along it the logit of {} falls", of_class)
                                            : fmt::format("no clear push towards or away from {}", of_class);
  if (layer) text += " at " + given.layer;
  return text + fmt::format("; {:.2f}, {} interval {} over inputs.", given.alpha_tcav.at(given.headline),
                            percent(level), interval_words(given.intervals.at(given.headline).interval));
}

}  // namespace atcav::report
