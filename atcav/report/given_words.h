#pragma once

#include <string>

#include "atcav/run/given.h"
#include "atcav/report/verdict.h"

// A given direction's score in plain words. Nothing is known of how the direction came about, so nothing is
// said about evidence or encoding: only which way the inputs' logits go along it, and how sure that is for
// inputs like these.
namespace atcav::report {

// For or against when the headline's interval leaves out ½.
Use use_of(const GivenScore& given);

// "along it the logit of zebra rises; 0.61, 95 % interval 0.55–0.67 over inputs." `layer` names the layer
// too.
std::string given_sentence(const GivenScore& given, double level, bool layer);

}  // namespace atcav::report
