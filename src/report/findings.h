#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/result.h"

// What was found, one sentence for each concept and class, as HTML.
namespace atcav::report {

// What the page leads with: d, which may be undefined, or logits for a given direction; its interval; and how
// far the gauges of a list of results reach on either side of 0, which lies in the middle.
std::optional<double> measure(const Result& result);
const stats::Interval& measure_interval(const Result& result);
double gauge_reach(const std::vector<Result>& results);

// The measure on a scale with a mark at 0 and its interval: drawn by the style sheet from --at, --low and
// --high. It repeats what stands beside it in words, so screen readers pass it over. Empty where d is
// undefined.
std::string gauge_html(const Result& result, double reach);

// The one of several layers' results that speaks for them: of those for or against (src/report/words.h)
// the largest measure, else the last. `results` is not empty.
const Result& strongest(const std::vector<const Result*>& results, double level);

// One list per class; each item has the sentence, a gauge, effect, test of use, encoding, specificity and the
// concepts it cannot be told from (cosine of at least kEntangled at that layer) side by side (those that
// there are where directions were given), what is true where that is known, and with several layers a line
// with the effect at each. Of more than kMostFindings the strongest of each class. Where the interval of the
// effect holds 0 it is muted and the gauge's dot hollow.
inline constexpr double kEntangled = 0.6;
inline constexpr std::size_t kMostFindings = 200;
// Of more than kAllClasses the kMostClasses with the strongest findings.
inline constexpr std::size_t kAllClasses = 200;
inline constexpr std::size_t kMostClasses = 100;
std::string findings_html(const std::vector<Result>& results, double level,
                          const std::vector<Entanglement>& entanglement = {});
// Whether the interval of the measure holds 0, or where d is undefined that of the logits.
bool holds_zero(const Result& result);

// Results as rows of an HTML table (of many the detailed ones, report/thumbnail.h; the script makes the
// others), with the layer's column only if there are several, and without the columns that need examples
// where directions were given. Narrow screens have class and layer below the concept instead of in columns.
// Cells that sort by number carry it in data-v; the script fills the headers with buttons and, when α
// changes, the score.
std::string score_table_html(const std::vector<Result>& results, double level);

}  // namespace atcav::report
