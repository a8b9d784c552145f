#pragma once

// Testing what a neural network knows and uses, with concept activation vectors.
//
//   #include <atcav/atcav.h>
//
//   atcav::stats::Cav cav = atcav::stats::fit_cav(random, striped, {});   // rows are examples
//   atcav::Vector s = gradients * cav.direction;                          // one sensitivity an input
//   double score = atcav::stats::score(s, atcav::stats::effective_rule());   // α-TCAV with α†
//
// Rooms: base (matrices, checks, random streams), stats (formulas), span (one pass over d dimensions, then
// refits), io (arrays), experiment (files to results), report (results to text).

#include "atcav/base/check.h"
#include "atcav/base/matrix.h"
#include "atcav/base/parallel.h"
#include "atcav/base/random.h"
#include "atcav/base/version.h"
#include "atcav/run/score.h"
#include "atcav/io/open_array.h"
#include "atcav/report/json.h"
#include "atcav/report/table.h"
#include "atcav/span/noise.h"
#include "atcav/span/pass.h"
#include "atcav/span/permutation.h"
#include "atcav/span/reduction.h"
#include "atcav/span/refit.h"
#include "atcav/span/resampling.h"
#include "atcav/stats/accuracy.h"
#include "atcav/stats/alpha.h"
#include "atcav/stats/cav.h"
#include "atcav/stats/distribution.h"
#include "atcav/stats/interval.h"
#include "atcav/stats/planning.h"
#include "atcav/stats/posterior.h"
#include "atcav/stats/score.h"
#include "atcav/stats/variability.h"
