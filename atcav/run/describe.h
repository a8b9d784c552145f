#pragma once

#include <span>

#include "atcav/run/score.h"
#include "atcav/run/probe.h"

namespace atcav {

// Everything about a run that is no number: model and sets with their hashes, notes of the model and of each
// set (copies, unreadable files), the configuration that repeats it, the files behind class inputs, examples
// run and remarks on the cache. Options, results and times are left empty. `classes` are those of the
// configuration.
RunResult describe_run(const Config& config, const Probe& probe,
                                std::span<const ExampleFiles> sets, std::span<const ExampleFiles> classes);

}  // namespace atcav
