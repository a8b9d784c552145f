#pragma once

#include "atcav/run/score.h"
#include "atcav/report/thumbnail.h"

namespace atcav::cli {

// Pictures of the class inputs that the report shows: those with the largest and smallest sensitivities. A
// picture that cannot be read leaves a name alone.
report::Thumbnails make_thumbnails(const RunResult& scored);

}  // namespace atcav::cli
