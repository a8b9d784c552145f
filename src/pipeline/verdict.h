#pragma once

#include <string>

#include "atcav/result.h"

// Does the class use the concept? Four lines of evidence, as far as they are there:
//
//   first order       S̄, the test of use: what gradients at class inputs say
//   adding            odd part at dose 1 on random inputs (on class inputs where there are no random ones)
//   taking away       the change when class inputs lose the concept; its sign is turned round
//   real difference   the class's logit on the concept's examples less that on random ones
//
// The first three speak when their p, corrected over everything tested, is below 1 - level; the last, which
// holds all that the sets differ in, when its interval leaves out 0. What the network does decides: the class
// uses the concept when adding or taking away says so and the other does not say the opposite. Gradients
// speak for themselves only where nothing was added, and the real difference never decides. `agrees` is false
// where two lines contradict each other and where gradients and the network come to different answers; the
// text then says both, and that more inputs could tell where the interval of adding holds what gradients say.
//
// Another line of evidence is one more function in verdict.cpp that returns an EvidenceLine; what qualifies a
// "no" (FromExamples::equivalence) is read in its last sentence.
namespace atcav {

// Whether inputs' share of a concept means something: beyond twice the step from random examples to the
// concept's, the step itself is mostly noise.
bool share_tells(const Erasure& erasure);

Verdict judge(const Result& result, double level);
// Verdict::text, which names the layer too if asked.
std::string verdict_text(const Result& result, const Verdict& verdict, bool layer);

}  // namespace atcav
