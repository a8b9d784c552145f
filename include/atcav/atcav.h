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
// Namespace atcav has what users call, atcav::stats the formulas (CAVs, scores, posteriors, laws of the
// scores, planning), atcav::model networks and their examples, atcav::report results as text.

#include "atcav/accuracy.h"
#include "atcav/cav.h"
#include "atcav/config.h"
#include "atcav/discover.h"
#include "atcav/effect.h"
#include "atcav/evidence.h"
#include "atcav/examples.h"
#include "atcav/groups.h"
#include "atcav/influences.h"
#include "atcav/interval.h"
#include "atcav/intervention.h"
#include "atcav/matrix.h"
#include "atcav/model.h"
#include "atcav/options.h"
#include "atcav/planning.h"
#include "atcav/posterior.h"
#include "atcav/preprocess.h"
#include "atcav/random.h"
#include "atcav/ranks.h"
#include "atcav/repair.h"
#include "atcav/report.h"
#include "atcav/result.h"
#include "atcav/run.h"
#include "atcav/score.h"
#include "atcav/theory.h"
#include "atcav/version.h"
