#pragma once

// Testing what a neural network knows and uses, with concept activation vectors.
//
//   #include <atcav/atcav.h>
//
//   // A network and folders of examples, or matrices in memory:
//   atcav::RunResult found = atcav::run(config);
//   atcav::RunResult same = atcav::score({{"striped", striped}}, random, {{"zebra", gradients}}, {});
//   atcav::write_report("out", found);  // results.json, report.html
//
// What users call is in namespace atcav. The formulas behind it are in atcav::stats (CAVs, scores,
// posteriors, laws of the scores, planning), what makes them fast in atcav::span (one pass over d dimensions,
// then refits), files in atcav::io, networks in atcav::model.

#include "atcav/base/check.h"
#include "atcav/base/matrix.h"
#include "atcav/base/random.h"
#include "atcav/base/version.h"
#include "atcav/model/model.h"
#include "atcav/model/open_onnx.h"
#include "atcav/report/json.h"
#include "atcav/report/table.h"
#include "atcav/run/arrays.h"
#include "atcav/run/config.h"
#include "atcav/run/result.h"
#include "atcav/run/run.h"
#include "atcav/stats/accuracy.h"
#include "atcav/stats/alpha.h"
#include "atcav/stats/cav.h"
#include "atcav/stats/distribution.h"
#include "atcav/stats/interval.h"
#include "atcav/stats/planning.h"
#include "atcav/stats/posterior.h"
#include "atcav/stats/ridge_equivalent.h"
#include "atcav/stats/score.h"
#include "atcav/stats/significance.h"
#include "atcav/stats/variability.h"
#include "atcav/write_report.h"
